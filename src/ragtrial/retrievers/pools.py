"""Chunks put together pool by pool, as every index holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.retrievers.ranking import IntArray

__all__ = ["PoolGroups"]


@dataclass(frozen=True)
class PoolGroups:
    """Chunk numbers pool after pool."""

    pools: list[int]
    """The pool numbers, sorted."""
    sizes: list[int]
    """The number of chunks of each."""
    chunks: IntArray
    """The chunk numbers, pool after pool, inside a pool in their order."""

    @classmethod
    def of(cls, pools: npt.ArrayLike | None, n_chunks: int) -> PoolGroups:
        """Group chunks by the pool number of each; without ``pools`` all are in pool 0.

        Another number of pools than of chunks raises `UsageError`.
        """
        numbers = np.zeros(n_chunks, dtype=np.int64) if pools is None else np.asarray(pools)
        if numbers.shape != (n_chunks,):
            raise UsageError(f"There are {n_chunks} texts, but the pools have the shape {numbers.shape}.")
        found, sizes = np.unique(numbers, return_counts=True)
        return cls(found.tolist(), sizes.tolist(), np.argsort(numbers, kind="stable"))
