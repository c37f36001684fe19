"""Budgets that prefixes are charged to, and where tokens stand in the source of a chunk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.measures.names import parse_measure
from ragtrial.measures.span_budget import SpanSelection, fill_spans, kept_spans, token_bounds
from ragtrial.measures.span_question import score_spans
from ragtrial.measures.spans import GoldSpans, SpanTable
from ragtrial.text import tokens


def table(*, prefixes=(2, 0, 5), sizes=(4, 3, 10), suffixes=(0, 0, 0)):
    """Return chunks [0, 40), [40, 70), [70, 170) of document 0; every token of them has 10 characters."""
    ends = np.cumsum([10 * size for size in sizes])
    return SpanTable(
        documents=np.zeros(len(sizes), dtype=np.int64),
        offsets=np.arange(len(sizes) + 1),
        starts=np.concatenate([[0], ends[:-1]]),
        ends=ends,
        prefix_tokens=np.array(prefixes),
        suffix_tokens=np.array(suffixes),
        token_bounds=lambda number: [10 * token for token in range(sizes[number] + 1)],
    )


def test_prefixes_are_charged_and_the_walk_stops_before_what_does_not_fit():
    selections = fill_spans(np.array([0, 1, 2]), table(), [1, 2, 5, 6, 8, 9, 13, 17, 24, 100])
    assert selections == [
        SpanSelection(0, 0),  # the prefix alone is too much
        SpanSelection(0, 0),
        SpanSelection(0, 3),
        SpanSelection(1, 0),
        SpanSelection(1, 2),
        SpanSelection(2, 0),
        SpanSelection(2, 0),
        SpanSelection(2, 3),
        SpanSelection(3, 0),
        SpanSelection(3, 0),
    ]


def test_suffixes_are_charged_and_cut_before_the_content():
    own = table(prefixes=(2, 0, 0), suffixes=(3, 1, 0))
    selections = fill_spans(np.array([0, 1]), own, [6, 8, 9, 10, 12, 13])
    assert selections == [
        SpanSelection(0, 4),
        SpanSelection(0, 6),  # all the content, and some of the suffix
        SpanSelection(1, 0),
        SpanSelection(1, 1),
        SpanSelection(1, 3),
        SpanSelection(2, 0),
    ]
    assert kept_spans(own, 0, 6) == kept_spans(own, 0, 4) == ((0, 40),)


def test_what_is_smaller_further_down_is_not_taken():
    # 5 + 10 do not fit into 14; the next one would.
    (value,) = score_spans([parse_measure("coverage@14t")], np.array([2, 1]), table(), GoldSpans.of([0], [[(40, 70)]]))
    assert value == 0.0


@pytest.mark.parametrize(
    ("budget", "whole", "cut"),
    [(1, 0.0, 0.0), (3, 0.0, 0.1), (6, 0.4, 0.4), (8, 0.4, 0.6), (9, 0.7, 0.7), (17, 0.7, 1.0)],
)
def test_a_cut_chunk_counts_with_its_kept_characters(budget, whole, cut):
    measures = [parse_measure(f"coverage@{budget}t"), parse_measure(f"coverage@{budget}t:cut")]
    gold = GoldSpans.of([0], [[(0, 100)]])
    assert score_spans(measures, np.array([0, 1, 2]), table(), gold) == pytest.approx((whole, cut))


def test_tokens_are_counted_once():
    asked = []

    def bounds(number):
        asked.append(number)
        return [0, 1, 2]

    own = SpanTable(
        documents=np.zeros(3, dtype=np.int64),
        offsets=np.arange(4),
        starts=np.zeros(3, dtype=np.int64),
        ends=np.full(3, 2),
        prefix_tokens=np.array([0, 1, 0]),
        suffix_tokens=np.array([0, 0, 0]),
        token_bounds=bounds,
    )
    assert fill_spans(np.array([1, 0, 2]), own, [5]) == fill_spans(np.array([1, 0, 2]), own, [5])
    assert asked == [1, 0, 2]


def test_kept_characters_go_through_the_spans_in_the_order_of_the_text():
    own = SpanTable(
        documents=np.array([3]),
        offsets=np.array([0, 3]),
        starts=np.array([50, 0, 20]),
        ends=np.array([60, 5, 30]),
        prefix_tokens=np.array([0]),
        suffix_tokens=np.array([0]),
        token_bounds=lambda number: [0, 4, 12, 18, 25],
    )
    assert [kept_spans(own, 0, kept) for kept in range(6)] == [
        (),
        ((50, 54),),
        ((0, 2), (50, 60)),
        ((0, 5), (20, 23), (50, 60)),
        ((0, 5), (20, 30), (50, 60)),
        ((0, 5), (20, 30), (50, 60)),
    ]


TEXTS = st.text(st.sampled_from("ab  \r\n\n.é漢😀,The"), max_size=40)


@given(TEXTS)
def test_bounds_of_one_slice_are_those_of_its_text(text):
    bounds = token_bounds([text])
    ids = tokens.encode(text)
    assert len(bounds) == len(ids) + 1
    assert bounds[-1] == len(text)
    assert bounds[:-1].tolist() == tokens.token_offsets(text, ids)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(["", "\n\n"]))
def test_bounds_of_joined_slices_keep_the_same_characters_as_the_text(parts, joiner):
    text = joiner.join(part.replace("\r\n", "\n").replace("\r", "\n") for part in parts)
    source = "".join(parts)
    bounds = token_bounds(parts, joiner).tolist()
    offsets = [*tokens.token_offsets(text, tokens.encode(text)), len(text)]
    assert len(bounds) == len(offsets)
    assert bounds == sorted(bounds)
    assert bounds[-1] == len(source)
    for bound, offset in zip(bounds, offsets, strict=True):
        # What is kept of the source is what is kept of the text, but for line ends and what the joiner added.
        assert "".join(source[:bound].split()) == "".join(text[:offset].split())


def test_a_cut_after_a_line_end_of_two_characters_takes_both():
    parts = ["One line.\r\nTwo", "three"]
    bounds = token_bounds(parts, "\n\n").tolist()
    text = "One line.\nTwo\n\nthree"
    offsets = tokens.token_offsets(text, tokens.encode(text))
    assert bounds[offsets.index(text.index("Two"))] == parts[0].index("Two")
    assert bounds[offsets.index(text.index("three"))] == len(parts[0])
