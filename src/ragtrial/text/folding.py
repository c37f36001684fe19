"""White space made one space, and the way back to the offsets of the text as it was."""

from __future__ import annotations

import re
from bisect import bisect_right

__all__ = ["FoldedText", "fold"]

_RUN = re.compile(r"\s+")
_LONG_RUN = re.compile(r"\s{2,}")


class FoldedText:
    """A text with every run of white space made one space, and the way back to its offsets."""

    def __init__(self, text: str) -> None:
        self.text = fold(text)
        # A run of n characters becomes one: from there on, offsets differ by n - 1 more.
        self._after = [0]
        self._shift = [0]
        for run in _LONG_RUN.finditer(text):
            shift = self._shift[-1]
            self._after.append(run.start() - shift + 1)
            self._shift.append(shift + len(run.group()) - 1)

    def original(self, offset: int) -> int:
        """Return the offset on the original text of a character that is not white space."""
        return offset + self._shift[bisect_right(self._after, offset) - 1]


def fold(text: str) -> str:
    """Return a text with every run of white space made one space."""
    return _RUN.sub(" ", text)
