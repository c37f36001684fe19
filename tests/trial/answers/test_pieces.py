"""The reader gets exactly as many tokens as the budget has, cut at a token boundary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.measures.budget import fill
from ragtrial.measures.texts import TextTable
from ragtrial.text import tokens
from ragtrial.trial.answers.pieces import fill_pieces, numbered

TEXTS = st.lists(st.text(alphabet=st.sampled_from("ab ,.\n1中я😀é"), max_size=30), max_size=6)
LONG = "The red lantern marks the harbour gate at night. " * 30


@pytest.mark.parametrize("budget", [1, 7, 100, 512])
def test_exactly_the_budget(budget):
    pieces, used = fill_pieces([LONG, LONG], budget)
    assert used == budget
    assert sum(tokens.count(piece) for piece in pieces) == budget


@given(TEXTS, st.integers(0, 40))
def test_pieces_are_the_chunks_but_for_the_last_one_which_is_a_start_of_its_chunk(texts, budget):
    pieces, used = fill_pieces(texts, budget)
    given_texts = [text for text in texts if text]
    assert used == min(budget, sum(tokens.count(text) for text in texts))
    assert pieces[:-1] == given_texts[: max(len(pieces) - 1, 0)]
    if pieces:
        assert given_texts[len(pieces) - 1].startswith(pieces[-1])
    assert all(pieces)


@given(TEXTS, st.integers(1, 40))
def test_the_walk_is_that_of_recall(texts, budget):
    texts = [text for text in texts if text]
    pieces, _ = fill_pieces(texts, budget)
    (selection,) = fill(range(len(texts)), TextTable(texts), [budget])
    whole = [piece for piece, text in zip(pieces, texts, strict=False) if piece == text]
    assert len(whole) >= selection.whole
    assert len(pieces) in (selection.whole, selection.whole + 1)


def test_later_texts_are_not_read():
    def texts():
        yield LONG
        raise AssertionError

    assert fill_pieces(texts(), 10)[1] == 10


def test_numbers_stand_before_the_pieces_and_count_for_nothing():
    assert numbered(["one\ntwo", "three"]) == "[1]\none\ntwo\n\n[2]\nthree"
    assert numbered([]) == ""
