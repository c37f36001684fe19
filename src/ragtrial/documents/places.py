"""The way back from offsets of a canonical text to the lines, pages, slides or cells of its source."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

__all__ = ["Places", "Unit"]

Unit = Literal["line", "page", "slide", "cell"]


class Places(NamedTuple):
    """Where each stretch of a text comes from.

    ``starts`` are offsets in ascending order, the first is 0; from each of them to the next the text comes from the
    place of the same position in ``numbers``, counted from 1.
    """

    unit: Unit
    starts: tuple[int, ...]
    numbers: tuple[int, ...]

    def at(self, offset: int) -> int:
        """Return the number of the place from which the character at an offset comes."""
        return self.numbers[max(bisect_right(self.starts, offset) - 1, 0)]
