"""What fusions share: both parts rank the whole pool, and ties keep the order of the first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.pools import PoolGroups
from ragtrial.retrievers.ranking import FloatArray, IntArray, Ranking, offsets_of
from ragtrial.retrievers.select import best_first
from ragtrial.retrievers.sources import SourceReader, Sources, index_with

__all__ = ["FusedIndex", "Fusion"]

_ROWS: Final = 4_000_000
"""Ranked chunks of each part held at a time."""


@dataclass(frozen=True)
class Fusion(SourceReader):
    """Base of the fusions of two retrievers."""

    positional: ClassVar[int] = 2

    first: Retriever
    second: Retriever

    @property
    def parts(self) -> tuple[Retriever, Retriever]:
        """The retrievers whose rankings are fused."""
        return self.first, self.second

    @abstractmethod
    def fuse(self, first: FloatArray, second: FloatArray, ranks: IntArray) -> FloatArray:
        """Return the fused score of each chunk of one query, in the order of the first retriever.

        Parameters
        ----------
        first, second : float64 array, shape (chunks,)
            What each retriever gave these chunks.
        ranks : int64 array, shape (chunks,)
            The rank of each among the second's, from 1; among the first's they are 1, 2, 3 ...
        """

    def index(
        self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None
    ) -> FusedIndex:
        """Index texts with both retrievers; a part that reads ``sources`` gets them."""
        largest = max(PoolGroups.of(pools, len(texts)).sizes, default=0)
        first, second = (index_with(part, texts, pools, sources) for part in self.parts)
        return FusedIndex(self, first, second, len(texts), largest)


@dataclass(frozen=True, slots=True, eq=False)
class FusedIndex:
    """The indexes of both parts."""

    fusion: Fusion
    first: Index
    second: Index
    n_chunks: int
    largest_pool: int
    """The number of chunks of the largest pool."""

    @property
    def nbytes(self) -> int:
        """The bytes of both parts."""
        return self.first.nbytes + self.second.nbytes

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all.

        Both parts always rank the whole pool, so the head of a ranking does not depend on ``depth``.
        """
        pools = np.asarray(query_pools)
        if len(pools) != len(queries):
            raise UsageError(f"There are {len(queries)} queries but {len(pools)} pools for them.")
        step = max(1, _ROWS // max(self.largest_pool, 1))
        found = [
            ranked
            for start in range(0, len(queries), step)
            for ranked in self._block(queries[start : start + step], pools[start : start + step], depth)
        ]
        return Ranking(
            offsets_of([len(chunks) for chunks, _ in found]),
            np.concatenate([np.empty(0, dtype=np.int64), *(chunks for chunks, _ in found)]),
            np.concatenate([np.empty(0), *(scores for _, scores in found)]),
        )

    def _block(
        self, queries: Sequence[str], pools: IntArray, depth: int | None
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        first, second = self.first.rank(queries, pools), self.second.rank(queries, pools)
        rank_of = np.zeros(self.n_chunks, dtype=np.int64)
        for query in range(len(queries)):
            chunks, scores = first.of(query)
            others, other_scores = second.of(query)
            if len(chunks) != len(others):
                raise UsageError(
                    f"{self.fusion} fuses rankings of the same chunks, but its parts rank {len(chunks)} and "
                    f"{len(others)} chunks of one pool."
                )
            rank_of[others] = np.arange(len(others))
            ranks = rank_of[chunks]
            fused = self.fusion.fuse(scores, other_scores[ranks], ranks + 1)
            best = best_first(fused, depth)
            yield chunks[best], fused[best]
