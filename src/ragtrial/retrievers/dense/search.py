"""Exact search among vectors: matrix products block by block, then the best of each row in a stable order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.retrievers.ranking import IntArray
from ragtrial.retrievers.select import best_first

__all__ = ["Float", "Float32", "Hits", "search"]

Float: TypeAlias = npt.NDArray[np.floating[Any]]
Float32: TypeAlias = npt.NDArray[np.float32]
Hits: TypeAlias = tuple[IntArray, Float32]
"""Rows of vectors, best first, and their scores."""

_QUERIES: Final = 256
"""Queries in one matrix product: with fewer, it runs below its speed."""
_SCORES: Final = 32 * 2**20
"""Scores held at a time (128 MiB): as many vectors are taken together as that leaves room for."""
_FEWEST_QUERIES: Final = 8
_QUERIES_WITH_HITS: Final = 4096
"""Queries whose hits are held at a time; shorter stored vectors are widened once for all of them."""


def search(vectors: Float, queries: Float32, depth: int | None) -> Iterator[Hits]:
    """Yield for each query the best vectors by dot product, best first; equal scores keep the order of the vectors.

    Parameters
    ----------
    vectors : float16 or float32 array, shape (vectors, dimension)
    queries : float32 array, shape (queries, dimension)
    depth : int or None
        How many vectors to return, at least 1; None returns all.
    """
    if depth is None or depth >= len(vectors):
        yield from _all(vectors, queries, depth)
        return
    for start in range(0, len(queries), _QUERIES_WITH_HITS):
        yield from _heads(vectors, queries[start : start + _QUERIES_WITH_HITS], depth)


def _all(vectors: Float, queries: Float32, depth: int | None) -> Iterator[Hits]:
    n_rows = min(_QUERIES, max(_FEWEST_QUERIES, _SCORES // max(len(vectors), 1)), len(queries))
    scores = np.empty((n_rows, len(vectors)), dtype=np.float32)
    for start in range(0, len(queries), max(n_rows, 1)):
        block = queries[start : start + n_rows]
        for rows in _tiles(len(vectors)):
            np.matmul(block, _widened(vectors[rows]).T, out=scores[: len(block), rows])
        for row in scores[: len(block)]:
            best = best_first(row, depth)
            yield best, row[best]


def _heads(vectors: Float, queries: Float32, depth: int) -> Iterator[Hits]:
    # The best of all are among the best of each tile; tile after tile, equal scores stay in order.
    held: list[list[Hits]] = [[] for _ in queries]
    tiles = _tiles(len(vectors))
    room = np.empty((min(_QUERIES, len(queries)), tiles[0].stop), dtype=np.float32)
    for rows in tiles:
        tile = _widened(vectors[rows])
        scores = room[:, : len(tile)]
        for start in range(0, len(queries), _QUERIES):
            block = queries[start : start + _QUERIES]
            np.matmul(block, tile.T, out=scores[: len(block)])
            for hits, row in zip(held[start : start + _QUERIES], scores, strict=False):
                best = best_first(row, depth)
                hits.append((best + rows.start, row[best]))
    for hits in held:
        places, values = (np.concatenate(part) for part in zip(*hits, strict=True))
        best = best_first(values, depth)
        yield places[best], values[best]


def _tiles(n_vectors: int) -> list[slice]:
    """Return equal parts of the vectors, so small that the scores of `_QUERIES` queries have room."""
    n_tiles = -(-n_vectors * _QUERIES // _SCORES)
    size = -(-n_vectors // max(n_tiles, 1))
    return [slice(start, min(start + size, n_vectors)) for start in range(0, n_vectors, max(size, 1))]


def _widened(vectors: Float) -> Float32:
    return vectors.astype(np.float32, copy=False)
