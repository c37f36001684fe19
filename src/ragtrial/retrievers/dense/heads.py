"""The heads of many rankings at once, kept while the scores come tile by tile."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ragtrial.retrievers.ranking import IntArray

__all__ = ["Heads"]

_COLUMNS_PER_PLACE: Final = 8
_SLACK: Final = 2
"""Candidates are thinned out when there are so many times more than places."""


class Heads:
    """The ``depth`` best of every query among the scores seen so far, exactly as a stable sort of all would give them.

    A score counts only if it exceeds its query's bound, the ``depth``-th best so far: an equal one comes later and
    loses. Candidates stay in the order of their places and are sorted once, at the end.
    """

    def __init__(self, n_queries: int, depth: int) -> None:
        """Start without any candidate."""
        self._n_queries = n_queries
        self._depth = depth
        self._bounds: npt.NDArray[np.float32] | None = None
        self._queries = np.empty(0, dtype=np.int64)
        self._places = np.empty(0, dtype=np.int64)
        self._values = np.empty(0, dtype=np.float32)

    def add(self, scores: npt.NDArray[np.float32], first: int) -> None:
        """Look at the next tile: scores of shape (queries, tile), whose first column is place ``first``."""
        if self._bounds is None:
            self._bounds = _first_bounds(scores, self._depth)
        hits = np.flatnonzero(scores > self._bounds[:, np.newaxis])
        queries, columns = np.divmod(hits, scores.shape[1])
        self._queries = np.concatenate([self._queries, queries])
        self._places = np.concatenate([self._places, columns + first])
        self._values = np.concatenate([self._values, scores.ravel()[hits]])
        if len(self._values) > _SLACK * self._depth * self._n_queries:
            self._thin_out()

    def best(self) -> tuple[IntArray, npt.NDArray[np.float32]]:
        """Return places and scores, best first, each of the shape (queries, depth)."""
        self._thin_out()
        values = self._values.reshape(self._n_queries, self._depth)
        order = np.argsort(-values, axis=1, kind="stable")
        places = self._places.reshape(self._n_queries, self._depth)
        return np.take_along_axis(places, order, axis=1), np.take_along_axis(values, order, axis=1)

    def _thin_out(self) -> None:
        """Keep ``depth`` candidates a query, of equal ones the first, and raise the bounds to the worst of them."""
        by_query = np.argsort(self._queries.astype(np.uint16), kind="stable")
        counts = np.bincount(self._queries, minlength=self._n_queries)
        column = np.arange(len(by_query)) - np.repeat(np.cumsum(counts) - counts, counts)
        table = np.full((self._n_queries, max(int(counts.max()), self._depth)), -np.inf, dtype=np.float32)
        queries = self._queries[by_query]
        table[queries, column] = self._values[by_query]
        cut = table.shape[1] - self._depth
        self._bounds = np.partition(table, cut, axis=1)[:, cut]
        above = table > self._bounds[:, np.newaxis]
        equal = table == self._bounds[:, np.newaxis]
        room = self._depth - above.sum(axis=1, keepdims=True)
        keep = by_query[(above | (equal & (np.cumsum(equal, axis=1) <= room)))[queries, column]]
        self._queries, self._places, self._values = self._queries[keep], self._places[keep], self._values[keep]


def _first_bounds(scores: npt.NDArray[np.float32], depth: int) -> npt.NDArray[np.float32]:
    """Return for each query a value just below what ``depth`` scores of the first tile reach.

    In ``width`` columns, the ``depth``-th highest column maximum is such a value.
    """
    width = depth * _COLUMNS_PER_PLACE
    n_rows = scores.shape[1] // width
    if n_rows == 0:
        return np.full(len(scores), -np.inf, dtype=np.float32)
    maxima = scores[:, : n_rows * width].reshape(len(scores), n_rows, width).max(axis=1)
    reached = np.partition(maxima, width - depth, axis=1)[:, width - depth]
    return np.nextafter(reached, np.float32(-np.inf))
