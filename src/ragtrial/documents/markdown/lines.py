"""Lines with their offsets, and blocks found on them.

Only LF, CRLF and a lone CR end a line (CommonMark 0.31, section 2.1).
"""

from __future__ import annotations

import gc
import re
from itertools import accumulate
from operator import add
from typing import NamedTuple

from ragtrial.documents.parts import Block, Kind

__all__ = ["Found", "Lines", "split_lines"]

_KINDS = tuple(Kind)
_TERMINATOR = re.compile(r"\r\n?|\n")


class Found:
    """The blocks that a scanner has found, by the numbers of their lines.

    Columns rather than tuples, because the garbage collector would visit each tuple again and again.

    Attributes
    ----------
    kinds : bytearray
    firsts, ends : list of int
        Number of a block's first line, and of the line after its last.
    headings : dict
        Level and title of those blocks that are headings, by their place.
    """

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.firsts: list[int] = []
        self.ends: list[int] = []
        self.headings: dict[int, tuple[int, str]] = {}

    def add(self, kind: Kind, first: int, end: int) -> int:
        """Add a block and return the number of the line after it."""
        self.kinds.append(kind)
        self.firsts.append(first)
        self.ends.append(end)
        return end

    def add_heading(self, first: int, end: int, level: int, title: str) -> int:
        """Add a heading and return the number of the line after it."""
        self.headings[len(self.ends)] = (level, title)
        return self.add(Kind.HEADING, first, end)


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

    def blocks(self, found: Found) -> list[Block]:
        """Turn the numbers of lines into offsets."""
        _, before, after, width = self
        make = tuple.__new__  # the constructor of a named tuple would take twice the time
        # Blocks hold no references to each other; on 50 MB the collector would search them for five times as long as
        # it takes to make them.
        collects = gc.isenabled()
        gc.disable()
        try:
            blocks = [
                make(Block, (_KINDS[kind], before[first] + first * width, after[end - 1] + (end - 1) * width, 0, ""))
                for kind, first, end in zip(found.kinds, found.firsts, found.ends, strict=True)
            ]
        finally:
            if collects:
                gc.enable()
        for place, (level, title) in found.headings.items():
            kind, start, end, _, _ = blocks[place]
            blocks[place] = Block(kind, start, end, level, title)
        return blocks


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
