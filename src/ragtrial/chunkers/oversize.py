"""Cutting a block that is longer than a chunk may be: tables at rows, code at lines, text at sentence ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ragtrial.documents.model import Block, Kind
from ragtrial.text.sentences import sentence_ends

__all__ = ["Part", "split_block"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_BY_LINE = frozenset({Kind.TABLE, Kind.CODE, Kind.LIST, Kind.HTML, Kind.MATH, Kind.FRONT_MATTER})


class Part(NamedTuple):
    """A part of a block: its range, and the table head that is to be indexed before it."""

    start: int
    end: int
    prefix: str = ""


def split_block(
    text: str, block: Block, start: int, end: int, limit: int, first_limit: int, measure: Callable[[str], int]
) -> list[Part]:
    """Cut ``[start, end)``, a block with the blanks around it, into parts of at most ``limit`` units.

    The first part has at most ``first_limit``. ``measure`` gives the size of a string in the unit. Parts tile the range. Cuts fall
    at the ends of rows and lines, or of sentences in text; one row or sentence longer
    than the limit is cut at white space, and a word longer than that inside the word.
    The rows that head a table are the prefix of every part but the first.
    """
    cuts = [start + cut for cut in _natural_cuts(text[start:end], block.kind)]
    parts: list[Part] = []
    position = start
    room = first_limit
    size = 0
    for unit_start, unit_end in pairwise([start, *cuts]):
        for piece_end in _hard_cuts(text, unit_start, unit_end, limit, measure):
            length = measure(text[position:piece_end])
            if size and size + length > room:
                parts.append(Part(start, position))
                start, size, room = position, 0, limit
            size += length
            position = piece_end
    parts.append(Part(start, end))
    if block.kind is not Kind.TABLE:
        return parts
    head = _table_head(text[block.start : block.end])
    return [parts[0], *(part._replace(prefix=head) for part in parts[1:])]


def _natural_cuts(text: str, kind: Kind) -> list[int]:
    if kind not in _BY_LINE:
        return sentence_ends(text)
    ends = [match.end() for match in _LINE_END.finditer(text)]
    return ends if ends and ends[-1] == len(text) else [*ends, len(text)]


def _hard_cuts(text: str, start: int, end: int, limit: int, measure: Callable[[str], int]) -> Iterator[int]:
    """Yield the ends of pieces of ``[start, end)`` that are at most ``limit`` units each."""
    while measure(text[start:end]) > limit:
        low, high = start + 1, min(end, start + _widest(limit))
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


def _widest(limit: int) -> int:
    # A token is at most a few dozen characters; the bound keeps a search inside a 50 MB line from measuring it whole.
    return 64 * limit


def _table_head(text: str) -> str:
    rows = _LINE_END.split(text, maxsplit=2)
    return "\n".join(rows[:2]) + "\n"
