"""Dense indexes of vectors that are there already, and the vectors of a dense index."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Embedder, Vectors
from ragtrial.embedders.batches import distinct
from ragtrial.retrievers.dense.index import DenseIndex
from ragtrial.retrievers.dense.pool import VectorPool
from ragtrial.retrievers.dense.search import Float
from ragtrial.retrievers.pools import PoolGroups
from ragtrial.retrievers.ranking import IntArray, offsets_of

__all__ = ["index_vectors", "vectors_of"]


def index_vectors(
    embedder: Embedder, vectors: Vectors, pools: npt.ArrayLike | None, store: npt.DTypeLike = np.float32
) -> DenseIndex:
    """Return the index of chunks whose vectors, shape (chunks, dimension), are given.

    ``embedder`` is what questions are embedded with; ``store`` how the index keeps the vectors.
    """
    groups = PoolGroups.of(pools, len(vectors))
    stored = np.ascontiguousarray(vectors, dtype=store)
    # Equal vectors are kept once: then their chunks have one score and stay in their order.
    _, rows = distinct([vector.tobytes() for vector in stored])
    firsts = np.unique(rows, return_index=True)[1]
    different = stored if len(firsts) == len(stored) else stored[firsts]
    edges = offsets_of(groups.sizes).tolist()
    return DenseIndex(
        embedder,
        {
            pool: VectorPool.of(different, rows, groups.chunks[start:end])
            for pool, (start, end) in zip(groups.pools, pairwise(edges), strict=True)
        },
    )


def vectors_of(pool: VectorPool) -> tuple[IntArray, Float]:
    """Return the chunks of a pool, sorted, and the vector of each as the index holds it."""
    rows = np.arange(len(pool.chunks))
    if pool.offsets is not None:
        rows = np.repeat(np.arange(len(pool.vectors)), np.diff(pool.offsets))
    order = np.argsort(pool.chunks)
    return pool.chunks[order], pool.vectors[rows[order]]
