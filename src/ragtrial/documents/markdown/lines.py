"""Lines with their offsets: only LF, CRLF and a lone CR end a line (CommonMark 0.31, section 2.1)."""

from __future__ import annotations

import re
from itertools import accumulate
from operator import add
from typing import NamedTuple, TypeAlias

from ragtrial.documents.model import Block, Kind

__all__ = ["Lines", "Row", "split_lines"]

Row: TypeAlias = tuple[Kind, int, int, int, str]
"""A block by its lines: kind, number of its first line, number of the line after its last, level, title."""

_TERMINATOR = re.compile(r"\r\n?|\n")


class Lines(NamedTuple):
    """The lines of a text without their ends.

    Line ``n`` is ``text[before[n] + n * width : after[n] + n * width]``: ``width`` is 1 where all lines end with
    LF, which then need not be counted one by one, and 0 elsewhere.
    """

    lines: list[str]
    before: list[int]
    after: list[int]
    width: int

    def start(self, number: int) -> int:
        """Return the offset of the first character of a line."""
        return self.before[number] + number * self.width

    def blocks(self, rows: list[Row]) -> list[Block]:
        """Turn the numbers of lines into offsets."""
        _, before, after, width = self
        make = tuple.__new__  # the constructor of a named tuple would take twice the time
        return [
            make(Block, (kind, before[first] + first * width, after[end - 1] + (end - 1) * width, level, title))
            for kind, first, end, level, title in rows
        ]


def split_lines(text: str) -> Lines:
    r"""Split a text into lines.

    Parameters
    ----------
    text : str
        Any text. U+2028, VT, FF and NEL are ordinary characters.

    Returns
    -------
    Lines
        As with ``text.split("\n")`` there is one line more than line ends.
    """
    if "\r" not in text:
        lines = text.split("\n")
        sums = list(accumulate(map(len, lines), initial=0))
        return Lines(lines, sums, sums[1:], 1)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lengths = map(add, map(len, lines), map(len, _TERMINATOR.findall(text)))
    before = list(accumulate(lengths, initial=0))
    return Lines(lines, before, list(map(add, before, map(len, lines))), 0)
