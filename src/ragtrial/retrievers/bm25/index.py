"""An index of weighted postings: built once, asked any number of questions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.retrievers.ranking import FloatArray, IntArray, Ranking, offsets_of
from ragtrial.retrievers.select import best_first
from ragtrial.text.words import WordSplitter

__all__ = ["BM25Index"]


@dataclass(frozen=True, slots=True, eq=False)
class BM25Index:
    """The BM25 weight of every word in every chunk, pool by pool; made by ``BM25(...).index(texts)``.

    Memory: 12 bytes for each different word of each chunk (1 to 1.5 kB for a chunk of 150 words) and one dictionary of
    words a pool; at the peak of building it, 36 bytes for each running word.
    """

    analyze: WordSplitter
    """From a question to its words, as the chunks were analysed."""
    places: Mapping[int, int]
    """Pool number to its place in the order of the pools."""
    numbers: IntArray
    """The chunks' numbers, pool after pool; a chunk's position here is what the postings name."""
    pool_chunks: IntArray
    """Offsets: the pool at place p has the positions ``pool_chunks[p]:pool_chunks[p + 1]``."""
    shared: bool
    """Whether the statistics, and so the vocabulary, are of all pools together."""
    vocabularies: Sequence[Mapping[str, int]]
    """For each pool, word to term; one for all pools where they share it."""
    offsets: IntArray
    """Offsets: term t has the postings ``offsets[t]:offsets[t + 1]``."""
    chunks: npt.NDArray[np.int32]
    """For each posting, the position of its chunk."""
    weights: FloatArray
    """For each posting, what it adds to the score of its chunk."""
    everywhere: FloatArray | None
    """For each term, what it adds to the pool's chunks without it; None where that is nothing."""

    @property
    def nbytes(self) -> int:
        """The bytes of the postings and their offsets, and of the words of all vocabularies."""
        arrays = (self.numbers, self.pool_chunks, self.offsets, self.chunks, self.weights)
        words = sum(sys.getsizeof(word) for vocabulary in self.vocabularies for word in vocabulary)
        tables = sum(map(sys.getsizeof, self.vocabularies))
        everywhere = 0 if self.everywhere is None else self.everywhere.nbytes
        return sum(array.nbytes for array in arrays) + everywhere + words + tables

    def scores(self, query: str, pool: int = 0) -> FloatArray:
        """Return the score of every chunk of a pool, in chunk order; empty for a pool without chunks."""
        place = self.places.get(pool)
        if place is None:
            return np.empty(0)
        return self._scored(query, place, np.zeros(len(self.numbers))).copy()

    def top(self, query: str, k: int | None = None, pool: int = 0) -> tuple[IntArray, FloatArray]:
        """Return numbers and scores of the ``k`` best chunks of a pool (of all, without ``k``); ties in chunk order."""
        return self.rank([query], [pool], k).of(0)

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all.

        ``query_pools``: for each query, the number of its pool. A query whose pool has no chunks ranks none.
        """
        places = [self.places.get(pool) for pool in np.asarray(query_pools).tolist()]
        if len(places) != len(queries):
            raise UsageError(f"There are {len(queries)} queries but {len(places)} pools for them.")
        sizes = np.diff(self.pool_chunks).tolist()
        lengths = [0 if place is None else min(sizes[place], depth or sizes[place]) for place in places]
        offsets = offsets_of(lengths)
        chunks, scores = np.empty(offsets[-1], dtype=np.int64), np.empty(offsets[-1])
        buffer = np.zeros(len(self.numbers))
        for query, place, start, length in zip(queries, places, offsets[:-1].tolist(), lengths, strict=True):
            if place is None:
                continue
            of_pool = self._scored(query, place, buffer)
            best = best_first(of_pool, depth)
            chunks[start : start + length] = self.numbers[self.pool_chunks[place] + best]
            scores[start : start + length] = of_pool[best]
            (buffer if self.shared else of_pool).fill(0.0)
        return Ranking(offsets, chunks, scores)

    def _scored(self, query: str, place: int, buffer: FloatArray) -> FloatArray:
        """Add the query's scores to the zeros of a buffer over all chunks; return the pool's part of it.

        With a shared vocabulary chunks of other pools get their scores too, which nobody reads.
        """
        of_pool = buffer[self.pool_chunks[place] : self.pool_chunks[place + 1]]
        vocabulary = self.vocabularies[0 if self.shared else place]
        # Word by word in the order of the query: floats added in another order round to other scores.
        for word in self.analyze(query):
            term = vocabulary.get(word)
            if term is None:
                continue
            rows = slice(self.offsets[term], self.offsets[term + 1])
            if self.everywhere is None:
                np.add.at(buffer, self.chunks[rows], self.weights[rows])
            else:
                with_word = buffer[self.chunks[rows]] + self.weights[rows]
                of_pool += self.everywhere[term]
                buffer[self.chunks[rows]] = with_word
        return of_pool
