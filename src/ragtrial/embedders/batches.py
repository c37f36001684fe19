"""The order in which texts are embedded, and how long the rest will take."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Progress

__all__ = ["Pace", "by_length", "distinct", "without_surrogates"]

Item = TypeVar("Item", str, bytes)

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def distinct(items: Sequence[Item]) -> tuple[list[Item], npt.NDArray[np.int64]]:
    """Return the different items in the order of their first occurrence, and for each item its place among them."""
    places: dict[Item, int] = {}
    rows = np.fromiter((places.setdefault(item, len(places)) for item in items), dtype=np.int64, count=len(items))
    return list(places), rows


def without_surrogates(text: str) -> str:
    """Return a text that UTF-8 can hold: each lone surrogate becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def by_length(lengths: Sequence[int], batch: int) -> Iterator[list[int]]:
    """Yield the places of texts in batches, the longest texts first; equal lengths keep their order.

    Texts of one length need no padding, and what does not fit into memory shows at the start.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").tolist()
    for start in range(0, len(order), batch):
        yield order[start : start + batch]


class Pace:
    """Tells how long the rest takes from how long the done part took.

    The time of a batch grows with its padded size (texts x the longest of them), so the work is
    counted in that unit and not in texts: with the longest first, the last texts take least.
    """

    def __init__(self, lengths: Sequence[int], batch: int, clock: Callable[[], float] = time.monotonic) -> None:
        """``lengths``: of all texts that `by_length` will put into batches of ``batch``."""
        self._total = len(lengths)
        self._left = sum(_work([lengths[place] for place in places]) for places in by_length(lengths, batch))
        self._clock = clock
        self._start = clock()
        self._texts = self._done = 0

    def after(self, lengths: Sequence[int]) -> Progress:
        """Return where things stand after a batch of texts of these lengths."""
        work = _work(lengths)
        self._done += work
        self._left -= work
        self._texts += len(lengths)
        seconds = self._clock() - self._start
        return Progress(self._texts, self._total, seconds * self._left / self._done)


def _work(lengths: Sequence[int]) -> int:
    # A text without tokens still takes a call.
    return len(lengths) * max(*lengths, 1)
