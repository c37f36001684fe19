"""Exact search among vectors: matrix products tile by tile, then the best of each row in a stable order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.retrievers.dense.heads import Heads
from ragtrial.retrievers.ranking import IntArray
from ragtrial.retrievers.select import best_first

__all__ = ["Float", "Float32", "Hits", "search"]

Float: TypeAlias = npt.NDArray[np.floating[Any]]
Float32: TypeAlias = npt.NDArray[np.float32]
Hits: TypeAlias = tuple[IntArray, Float32]
"""Rows of vectors, best first, and their scores."""

_QUERIES: Final = 1024
_TILE: Final = 16384
"""Queries and vectors in one matrix product (64 MiB of scores): smaller ones run below their speed."""
_QUERIES_OF_A_TILE: Final = 4096
"""Queries that go through the tiles together: shorter stored vectors are widened once for all of them."""
_ROWS: Final = 32 * 2**20
"""Scores held at a time where whole rankings are asked for (128 MiB)."""


def search(vectors: Float, queries: Float32, depth: int | None) -> Iterator[Hits]:
    """Yield for each query the best vectors by dot product, best first; equal scores keep the order of the vectors.

    Parameters
    ----------
    vectors : float16 or float32 array, shape (vectors, dimension)
    queries : float32 array, shape (queries, dimension)
    depth : int or None
        How many vectors to return, at least 1; None returns all.
    """
    if depth is None or depth > len(vectors) // 4:
        yield from _whole(vectors, queries, depth)
        return
    for start in range(0, len(queries), _QUERIES_OF_A_TILE):
        yield from _heads(vectors, queries[start : start + _QUERIES_OF_A_TILE], depth)


def _whole(vectors: Float, queries: Float32, depth: int | None) -> Iterator[Hits]:
    step = min(_QUERIES, max(1, _ROWS // max(len(vectors), 1)))
    for start in range(0, len(queries), step):
        block = queries[start : start + step]
        scores = np.empty((len(block), len(vectors)), dtype=np.float32)
        for tile in _tiles(len(vectors)):
            np.matmul(block, _widened(vectors[tile]).T, out=scores[:, tile])
        for row in scores:
            best = best_first(row, depth)
            yield best, row[best]


def _heads(vectors: Float, queries: Float32, depth: int) -> Iterator[Hits]:
    blocks = [queries[start : start + _QUERIES] for start in range(0, len(queries), _QUERIES)]
    heads = [Heads(len(block), depth) for block in blocks]
    for tile in _tiles(len(vectors), at_least=4 * depth):
        part = _widened(vectors[tile]).T
        for block, head in zip(blocks, heads, strict=True):
            head.add(block @ part, tile.start)
    for head in heads:
        yield from zip(*head.best(), strict=True)


def _tiles(n_vectors: int, at_least: int = 1) -> list[slice]:
    size = max(_TILE, at_least)
    return [slice(start, min(start + size, n_vectors)) for start in range(0, n_vectors, size)]


def _widened(vectors: Float) -> Float32:
    return vectors.astype(np.float32, copy=False)
