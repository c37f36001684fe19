"""The chunks of one pool and their different vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ragtrial.retrievers.dense.search import Float, Float32, Hits, search
from ragtrial.retrievers.ranking import IntArray, offsets_of

__all__ = ["VectorPool"]


@dataclass(frozen=True, slots=True, eq=False)
class VectorPool:
    """One pool: chunks with the same vector share it, so that they have exactly the same score."""

    vectors: Float
    """The different vectors, in the order of their first chunks."""
    chunks: IntArray
    """The numbers of the chunks, vector after vector, those of one vector in their order."""
    offsets: IntArray | None
    """Vector ``v`` belongs to ``chunks[offsets[v]:offsets[v + 1]]``; None where each has one chunk."""

    @classmethod
    def of(cls, stored: Float, rows: IntArray, chunks: IntArray) -> VectorPool:
        """Take a pool's part of all different vectors.

        Parameters
        ----------
        stored : float array, shape (different vectors, dimension)
        rows : int array, shape (all chunks,)
            The row of each chunk's vector.
        chunks : int array, shape (chunks,)
            The numbers of the pool's chunks, in their order.
        """
        values, firsts, inverse, counts = np.unique(
            rows[chunks], return_index=True, return_inverse=True, return_counts=True
        )
        by_first = np.argsort(firsts, kind="stable")
        wanted = values[by_first]
        # Rows that follow each other are taken without a copy: one pool over all, or pools one after another.
        together = bool((np.diff(wanted) == 1).all())
        vectors = stored[wanted[0] : wanted[-1] + 1] if together else stored[wanted]
        if len(wanted) == len(chunks):
            return cls(vectors, chunks, None)
        place = np.empty_like(by_first)
        place[by_first] = np.arange(len(by_first))
        return cls(vectors, chunks[np.argsort(place[inverse], kind="stable")], offsets_of(counts[by_first]))

    def __len__(self) -> int:
        """The number of chunks."""
        return len(self.chunks)

    def search(self, queries: Float32, depth: int | None) -> Iterator[Hits]:
        """Yield for each query the numbers and scores of the best chunks; equal scores keep the order of the chunks."""
        # The first chunks of any ranking have at most as many vectors, and of equal ones those that come first.
        for best, scores in search(self.vectors, queries, depth):
            if self.offsets is None:
                yield self.chunks[best], scores
                continue
            starts, ends = self.offsets[best], self.offsets[best + 1]
            numbers = np.concatenate([self.chunks[start:end] for start, end in zip(starts, ends, strict=True)])
            values = np.repeat(scores, ends - starts)
            order = np.lexsort((numbers, -values))[:depth]
            yield numbers[order], values[order]
