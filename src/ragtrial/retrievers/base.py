"""What every retriever is: a component that indexes texts and ranks them for questions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy.typing as npt

from ragtrial.retrievers.ranking import Ranking
from ragtrial.specs import Component

__all__ = ["Index", "Retriever"]


class Index(Protocol):
    """Indexed texts, ready to be ranked."""

    @property
    def nbytes(self) -> int:
        """The bytes of what the index holds to rank by: its arrays and words, without the texts."""

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank, for each query, the chunks of its pool; see `Retriever.rank`."""


@dataclass(frozen=True)
class Retriever(Component):
    """Base of all retrievers."""

    least_score: ClassVar[float | None] = None
    """The lowest score that the retriever can give, None where there is none."""

    @property
    def parts(self) -> tuple[Retriever, ...]:
        """The retrievers that this one is made of; none for most."""
        return ()

    @abstractmethod
    def index(self, texts: Sequence[str], pools: npt.ArrayLike | None = None) -> Index:
        """Index texts, each in the pool whose number ``pools`` gives; without ``pools`` all are in pool 0."""

    def rank(
        self,
        texts: Sequence[str],
        pools: npt.ArrayLike,
        queries: Sequence[str],
        query_pools: npt.ArrayLike,
        depth: int | None = None,
    ) -> Ranking:
        """Rank, for each query, the chunks of its pool; equal scores, zeros too, keep the order of the texts.

        Parameters
        ----------
        texts : sequence of str, length chunks
            The indexed texts.
        pools : int array, shape (chunks,)
            The number of each chunk's pool.
        queries : sequence of str, length queries
        query_pools : int array, shape (queries,)
            The number of each query's pool; a query whose pool has no chunks ranks none.
        depth : int, optional
            How many chunks to keep per query, at least 1; None keeps the whole pool.
        """
        return self.index(texts, pools).rank(queries, query_pools, depth)
