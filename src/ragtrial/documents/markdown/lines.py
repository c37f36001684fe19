"""Lines with their offsets, and blocks found on them.

Only LF, CRLF and a lone CR end a line (CommonMark 0.31, section 2.1).
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate, count
from operator import add, sub
from typing import NamedTuple

from ragtrial.documents.parts import Block, Kind

__all__ = [
    "CODE",
    "FRONT_MATTER",
    "HEADING",
    "HTML",
    "LIST",
    "MATH",
    "PARAGRAPH",
    "QUOTE",
    "RULE",
    "TABLE",
    "Found",
    "Lines",
    "collector_paused",
    "split_lines",
]

# In Python 3.11, a member is found five times faster as a name of the module than through its class.
PARAGRAPH, HEADING, CODE, TABLE, LIST, QUOTE, RULE, HTML, MATH, FRONT_MATTER = Kind

_TERMINATOR = re.compile(r"\r\n?|\n")


class Lines(NamedTuple):
    """The lines of a text without their ends; line ``n`` starts at the offset ``before[n] + n``.

    Where all lines end with LF, ``before`` is the length of all lines before one: nothing needs to be added to
    each, and a document has far more lines than blocks.
    """

    lines: list[str]
    before: list[int]

    def start(self, number: int) -> int:
        """Return the offset of the first character of a line."""
        return self.before[number] + number


class Found:
    """The blocks that a scanner has found.

    Parameters
    ----------
    lines : Lines

    Attributes
    ----------
    blocks : list of Block
    headings : list of int
        The places of those blocks that are headings.
    """

    def __init__(self, lines: Lines) -> None:
        self.blocks: list[Block] = []
        self.headings: list[int] = []
        self._lines, self._before = lines

    def add(self, kind: Kind, first: int, end: int) -> int:
        """Add the block of the lines ``first`` to ``end`` and return ``end``, the number of the line after it."""
        before, last = self._before, end - 1
        stop = before[last] + last + len(self._lines[last])
        # The constructor of a named tuple would take three times as long.
        block = tuple.__new__(Block, (kind, before[first] + first, stop, 0, ""))
        self.blocks.append(block)
        return end

    def add_heading(self, first: int, end: int, level: int, title: str) -> int:
        """Add a heading and return the number of the line after it."""
        self.headings.append(len(self.blocks))
        before, last = self._before, end - 1
        stop = before[last] + last + len(self._lines[last])
        self.blocks.append(tuple.__new__(Block, (HEADING, before[first] + first, stop, level, title)))
        return end


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
        return Lines(lines, list(accumulate(map(len, lines), initial=0)))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lengths = map(add, map(len, lines), map(len, _TERMINATOR.findall(text)))
    return Lines(lines, list(map(sub, accumulate(lengths, initial=0), count())))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector away while blocks are made: they hold no references to each other.

    On 50 MB it would search them for five times as long as it takes to make them.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
