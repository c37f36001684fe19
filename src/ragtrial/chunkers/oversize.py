"""Cutting a block that is longer than a chunk may be: tables at rows, code at lines, text at sentence ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ragtrial.documents.parts import Block, Kind, Span
from ragtrial.text.sentences import sentence_ends

__all__ = ["Limits", "Part", "split_block"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_WIDEST = 64
"""No unit is wider than so many characters, but for runs of blanks: what is longer need not be measured."""

_BY_LINE = frozenset({Kind.TABLE, Kind.CODE, Kind.LIST, Kind.HTML, Kind.MATH, Kind.FRONT_MATTER})


class Part(NamedTuple):
    """A part of a block: its range, and the table head that is to be indexed before it."""

    start: int
    end: int
    prefix: str = ""


class Limits(NamedTuple):
    """The largest size of the first part and of all others."""

    first: int
    rest: int


def split_block(text: str, block: Block, span: Span, limits: Limits, measure: Callable[[str], int]) -> list[Part]:
    """Cut a span, a block with the blanks around it, into parts that are no larger than the limits.

    ``measure`` gives the size of a string in the unit of the limits. Parts tile the span.
    Cuts fall at the ends of rows and lines, or of sentences in text; one row or sentence
    longer than the limit is cut at white space, and a word longer than that inside the word.
    The rows that head a table are the prefix of every part but the first.
    """
    cuts = [span.start + cut for cut in _natural_cuts(text[span.start : span.end], block.kind)]
    parts: list[Part] = []
    start = position = span.start
    room = limits.first
    size = 0
    for unit_start, unit_end in pairwise([start, *cuts]):
        for piece_end in _hard_cuts(text, unit_start, unit_end, limits, measure):
            length = measure(text[position:piece_end])
            if size and size + length > room:
                parts.append(Part(start, position))
                start, size, room = position, 0, limits.rest
            size += length
            position = piece_end
    parts.append(Part(start, span.end))
    if block.kind is not Kind.TABLE:
        return parts
    head = _table_head(text[block.start : block.end])
    return [parts[0], *(part._replace(prefix=head) for part in parts[1:])]


def _natural_cuts(text: str, kind: Kind) -> list[int]:
    if kind not in _BY_LINE:
        return sentence_ends(text)
    ends = [match.end() for match in _LINE_END.finditer(text)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def _hard_cuts(text: str, start: int, end: int, limits: Limits, measure: Callable[[str], int]) -> Iterator[int]:
    """Yield the ends of pieces of ``[start, end)`` that fit into any part."""
    limit = min(limits)
    while not _fits(text, start, end, limit, measure):
        low, high = start + 1, min(end, start + _WIDEST * limit)
        while low < high:
            middle = (low + high + 1) // 2
            if measure(text[start:middle]) <= limit:
                low = middle
            else:
                high = middle - 1
        blank = max(text.rfind(" ", start, low), text.rfind("\n", start, low))
        start = blank + 1 if blank > start else low
        yield start
    yield end


def _fits(text: str, start: int, end: int, limit: int, measure: Callable[[str], int]) -> bool:
    return end - start <= _WIDEST * limit and measure(text[start:end]) <= limit


def _table_head(text: str) -> str:
    rows = _LINE_END.split(text.lstrip("\ufeff \t\r\n"), maxsplit=2)
    return "\n".join(rows[:2]) + "\n"
