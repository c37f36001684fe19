"""Cutting a text that is too long into the fewest parts that fit, as even as sentences allow."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from ragtrial.documents.parts import Span
from ragtrial.text.counting import Tokenised
from ragtrial.text.sentences import sentence_ends

__all__ = ["split_evenly"]


def split_evenly(text: str, span: Span, tokens: Tokenised, limit: int) -> list[Span]:
    """Cut a span of a text at sentence ends.

    Parameters
    ----------
    text : str
        The whole document.
    span : Span
        What to cut.
    tokens : Tokenised
        The document's tokens.
    limit : int
        The most tokens of a part.

    Returns
    -------
    list of Span
        They tile the span: the fewest parts that fit, and of those cuts the one whose largest
        part is smallest. A sentence longer than the limit is cut at line ends, else at
        spaces, else between tokens.
    """
    cuts = [span.start, *_units(text, span, tokens, limit)]
    sizes = tokens.before(cuts).tolist()
    fewest = len(_fill(sizes, limit))
    low, high = -(-(sizes[-1] - sizes[0]) // fewest), limit
    while low < high:
        middle = (low + high) // 2
        if len(_fill(sizes, middle)) <= fewest:
            high = middle
        else:
            low = middle + 1
    edges = [0, *_fill(sizes, low)]
    return [Span(cuts[first], cuts[last]) for first, last in pairwise(edges)]


def _fill(sizes: list[int], limit: int) -> list[int]:
    """Return the last cut of each part, if each takes as many units as fit; ``sizes`` are tokens before each cut."""
    ends: list[int] = []
    position = 0
    while position < len(sizes) - 1:
        position = max(bisect_right(sizes, sizes[position] + limit) - 1, position + 1)
        ends.append(position)
    return ends


def _units(text: str, span: Span, tokens: Tokenised, limit: int) -> Iterator[int]:
    """Yield the ends of the sentences, and the cuts inside those that are too long."""
    edges = [span.start, *(span.start + length for length in sentence_ends(text[span.start : span.end]))]
    before = tokens.before(edges).tolist()
    for (start, end), (first, last) in zip(pairwise(edges), pairwise(before), strict=True):
        size = last - first
        while size > limit:
            start = _hard_cut(text, start, end, tokens, limit)  # noqa: PLW2901  # the rest is looked at next
            yield start
            size = tokens.count(start, end)
        if start < end:
            yield end


def _hard_cut(text: str, start: int, end: int, tokens: Tokenised, limit: int) -> int:
    first = int(tokens.before((start,))[0])
    room = min(max(int(tokens.starts[first + limit]), start + 1), end)
    line_end = text.rfind("\n", start, room) + 1
    # A token may begin with the blank before its word; then that blank starts the next part.
    blank = room if text[room : room + 1] == " " else text.rfind(" ", start, room) + 1
    return line_end or blank or room
