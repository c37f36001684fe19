"""Lines with their offsets: only LF, CRLF and a lone CR end a line (CommonMark 0.31, section 2.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, count
from operator import add
from typing import TypeAlias

from ragtrial.documents.model import Block, Kind

__all__ = ["Row", "blocks_of", "split_lines"]

Row: TypeAlias = tuple[Kind, int, int, int, str]
"""A block by its lines: kind, number of its first line, number of the line after its last, level, title."""

_TERMINATOR = re.compile(r"\r\n?|\n")


def split_lines(text: str) -> tuple[list[str], list[int]]:
    r"""Split a text into lines.

    Parameters
    ----------
    text : str
        Any text. U+2028, VT, FF and NEL are ordinary characters.

    Returns
    -------
    tuple of list of str, list of int
        The lines without their ends, and the offset of the first character of each.
        As with ``text.split("\n")`` there is one line more than line ends.
    """
    if "\r" in text:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        terminators = map(len, _TERMINATOR.findall(text))
        lengths = map(add, map(len, lines), terminators)
        return lines, list(accumulate(lengths, initial=0))
    lines = text.split("\n")
    ends = accumulate(map(len, lines[:-1]), initial=0)
    return lines, list(map(add, ends, count()))


def blocks_of(rows: Iterable[Row], lines: list[str], starts: list[int]) -> list[Block]:
    """Turn the numbers of lines that `split_lines` gave into offsets."""
    make = tuple.__new__  # half of a scan's time would go into the constructor of a named tuple
    return [
        make(Block, (kind, starts[first], starts[end - 1] + len(lines[end - 1]), level, title))
        for kind, first, end, level, title in rows
    ]
