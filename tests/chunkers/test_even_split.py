"""The fewest parts that fit, the largest of them as small as can be."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.even_split import split_evenly
from ragtrial.documents.parts import Span
from ragtrial.text.counting import tokenise

sentences = st.lists(st.integers(1, 9).map(lambda words: " ".join(["Word"] * words) + ". "), min_size=1, max_size=8)


def best_largest(sizes, limit):
    """Return the number of parts and the smallest largest part, over all ways to cut."""
    for parts in range(1, len(sizes) + 1):
        largest = [
            max(sum(sizes[a:b]) for a, b in pairwise([0, *cuts, len(sizes)]))
            for cuts in combinations(range(1, len(sizes)), parts - 1)
        ]
        if min(largest) <= limit:
            return parts, min(largest)
    raise AssertionError("a sentence is longer than the limit")


@given(sentences, st.integers(12, 30))
def test_no_cut_at_sentence_ends_is_better(units, limit):
    text = "".join(units)
    tokens = tokenise(text, "cl100k")
    edges = [0]
    for unit in units:
        edges.append(edges[-1] + len(unit))
    sizes = [tokens.count(start, end) for start, end in pairwise(edges)]
    parts = split_evenly(text, Span(0, len(text)), tokens, limit)
    assert {part.end for part in parts} <= set(edges)
    assert (len(parts), max(tokens.count(*part) for part in parts)) == best_largest(sizes, limit)


@given(st.text(alphabet=st.sampled_from("aB. \n!é中🚀#`|"), min_size=1, max_size=200), st.integers(1, 20), st.data())
def test_parts_tile_any_span(text, limit, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    parts = split_evenly(text, Span(start, end), tokenise(text, "cl100k"), limit)
    assert all(part.start < part.end for part in parts)
    assert [part.start for part in parts] == [start, *(part.end for part in parts[:-1])]
    assert parts[-1].end == end


@given(st.text(alphabet=st.sampled_from("abc XY.\n0-"), min_size=1, max_size=300), st.integers(1, 12))
def test_no_part_is_over_the_limit_even_within_sentences(text, limit):
    tokens = tokenise(text, "cl100k")
    parts = split_evenly(text, Span(0, len(text)), tokens, limit)
    assert max(tokens.count(*part) for part in parts) <= limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two\nthree four five", ["one two\n", "three four five"]),
        ("one two three four five", ["one two three", " four five"]),
        ("aaaa" * 12, None),
    ],
)
def test_a_long_sentence_is_cut_at_line_ends_then_spaces_then_anywhere(text, expected):
    tokens = tokenise(text, "cl100k")
    parts = [text[part.start : part.end] for part in split_evenly(text, Span(0, len(text)), tokens, 3)]
    assert "".join(parts) == text
    assert len(parts) > 1
    assert expected is None or parts == expected
