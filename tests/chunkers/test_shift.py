"""Windows that begin later: the same windows of a document from which as many tokens were taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.errors import SpecError
from ragtrial.text import tokens
from ragtrial.trial.arms import Arm

WORDS = st.lists(st.sampled_from(["lamp", "rope", "paint", "tide", "valve"]), min_size=1, max_size=80)


def texts(spec, text):
    return list(Arm.of(spec).build([read_markdown(text, id="d", dialect="study")]).texts)


@given(WORDS, st.integers(2, 12), st.data())
def test_windows_tile_the_document_and_begin_with_the_shift(words, size, data):
    shift = data.draw(st.integers(0, size - 1))
    text = " ".join(words)
    found = texts(f"tokens({size}, shift={shift})", text)
    assert "".join(found) == text
    lengths = [tokens.count(piece) for piece in found]
    total = tokens.count(text)
    first = min(shift, total) or min(size, total)
    assert lengths[0] == first
    assert all(length == size for length in lengths[1:-1])
    assert sum(lengths) == total


@given(WORDS, st.integers(1, 12))
def test_no_shift_is_no_change(words, size):
    text = " ".join(words)
    assert texts(f"tokens({size}, shift=0)", text) == texts(f"tokens({size})", text)


@pytest.mark.parametrize("spec", ["tokens(9, overlap=1, shift=2)", "tokens(9, shift=9)", "tokens(9, shift=-1)"])
def test_a_shift_that_cannot_be(spec):
    with pytest.raises(SpecError):
        Arm.of(spec)


def test_matched_windows_are_shifted_by_a_share():
    text = "\n\n".join(f"## Part {n}\n\n" + "lamp " * 40 for n in range(6))
    document = read_markdown(text, id="d", dialect="study")
    plain = Arm.of("length_matched(of=headers)").fit([document]).chunker
    half = Arm.of("length_matched(of=headers, shift=0.5)").fit([document]).chunker
    assert (half.size, half.shift) == (plain.size, round(plain.size / 2))
    assert str(plain) == f"tokens({plain.size})"
    with pytest.raises(SpecError):
        Arm.of("length_matched(of=headers, shift=1.0)")
