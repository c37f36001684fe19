"""An index of vectors: built once, asked any number of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Embedder, Vectors
from ragtrial.embedders.batches import distinct
from ragtrial.errors import UsageError
from ragtrial.retrievers.dense.pool import VectorPool
from ragtrial.retrievers.dense.search import Float
from ragtrial.retrievers.pools import PoolGroups
from ragtrial.retrievers.ranking import IntArray, Ranking, offsets_of

__all__ = ["DenseIndex"]


@dataclass(frozen=True, slots=True, eq=False)
class DenseIndex:
    """The vectors of all chunks, pool by pool; made by ``Dense(...).index(texts)``.

    Memory: 4 bytes (float32) or 2 (float16) a component of each different vector; about 100 MiB more while it is
    searched, or 128 MiB where whole rankings are asked for.
    """

    embedder: Embedder
    """What questions are embedded with."""
    pools: Mapping[int, VectorPool]
    """The pools by number."""

    @classmethod
    def build(
        cls, embedder: Embedder, texts: Sequence[str], pools: npt.ArrayLike | None, store: npt.DTypeLike
    ) -> DenseIndex:
        """Embed the texts and put their vectors together by pool."""
        groups = PoolGroups.of(pools, len(texts))
        unique, text_of = distinct(texts)
        vectors = embedder.embed(unique, "document") if unique else np.empty((0, 0), dtype=np.float32)
        stored, row_of = _different(vectors.astype(store, copy=False))
        rows = row_of[text_of]
        edges = offsets_of(groups.sizes).tolist()
        return cls(
            embedder,
            {
                pool: VectorPool.of(stored, rows, groups.chunks[start:end])
                for pool, start, end in zip(groups.pools, edges[:-1], edges[1:], strict=True)
            },
        )

    @property
    def nbytes(self) -> int:
        """The bytes of all different vectors and of the chunks' numbers."""
        own = {id(base): base.nbytes for pool in self.pools.values() for base in [_owner(pool.vectors)]}
        return sum(own.values()) + sum(pool.chunks.nbytes for pool in self.pools.values())

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all.

        ``query_pools``: for each query, the number of its pool. A query whose pool has no chunks ranks none.
        """
        numbers = np.asarray(query_pools)
        if len(numbers) != len(queries):
            raise UsageError(f"There are {len(queries)} queries but {len(numbers)} pools for them.")
        if not any(number in self.pools for number in numbers.tolist()):
            return Ranking(offsets_of(np.zeros(len(queries))), np.empty(0, dtype=np.int64), np.empty(0))
        return self.rank_vectors(self.embedder.embed(queries, "query"), numbers, depth)

    def rank_vectors(self, queries: Vectors, query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank as `rank` does, given the queries' vectors, shape (queries, dimension)."""
        asked = PoolGroups.of(query_pools, len(queries))
        sizes = {number: len(pool) for number, pool in self.pools.items()}
        lengths = np.zeros(len(queries), dtype=np.int64)
        edges = offsets_of(asked.sizes).tolist()
        for number, start, end in zip(asked.pools, edges[:-1], edges[1:], strict=True):
            size = sizes.get(number, 0)
            lengths[asked.chunks[start:end]] = size if depth is None else min(size, depth)
        offsets = offsets_of(lengths)
        chunks, scores = np.empty(offsets[-1], dtype=np.int64), np.empty(offsets[-1])
        for number, start, end in zip(asked.pools, edges[:-1], edges[1:], strict=True):
            pool = self.pools.get(number)
            if pool is None:
                continue
            of_pool = asked.chunks[start:end]
            for query, (best, values) in zip(of_pool.tolist(), pool.search(queries[of_pool], depth), strict=True):
                rows = slice(offsets[query], offsets[query + 1])
                chunks[rows] = best
                scores[rows] = values
        return Ranking(offsets, chunks, scores)


def _owner(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array whose memory an array is a part of: pools share one."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _different(vectors: Float) -> tuple[Float, IntArray]:
    """Return the different vectors, and for each vector its row among them.

    A matrix product may round one vector's scores differently in different rows, and texts that differ only in what the
    model does not see have one vector: kept once, such chunks have one score and stay in their order.
    """
    names, rows = distinct([blake2b(vector, digest_size=16).digest() for vector in vectors])
    if len(names) == len(vectors):
        return vectors, rows
    firsts = np.unique(rows, return_index=True)[1]
    return vectors[firsts], rows
