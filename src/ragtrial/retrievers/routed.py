"""The retriever ``routed``: first the sections that look right, then the chunks inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragtrial.embedders.base import Vectors
from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.dense import Dense, DenseIndex
from ragtrial.retrievers.late.retriever import Late
from ragtrial.retrievers.ranking import FloatArray, IntArray, Ranking
from ragtrial.retrievers.reordered import put_below, ranking_of
from ragtrial.retrievers.sources import SourceReader, Sources, index_with
from ragtrial.retrievers.vectors import index_vectors, vectors_of

__all__ = ["Routed", "RoutedIndex", "found_sections"]

_ROWS: Final = 4_000_000
"""Ranked chunks held at a time."""


@dataclass(frozen=True)
class Routed(SourceReader):
    """Two-stage retrieval over section centroids (METHODS 4; KMR's A4 and G4).

    A section is a document and a top-level heading; its centroid is the renormalised mean of its chunks' vectors, the
    very ones that ``base`` searches. The chunks of the ``sections`` best sections come first, all others after them
    (the backfill), both in the order of ``base``: ``routed(dense('minilm'), sections=5)``.

    Scores are those of ``base``; the backfill's are moved down where they would else be higher.
    """

    spec_name: ClassVar[str] = "routed"

    base: Retriever = field(default_factory=Dense)
    sections: Annotated[int, Field(ge=1)] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.base, (Dense, Late)):
            raise SpecError(
                f"routed cannot be built: {self.base.spec_name} has no vectors to make centroids of.",
                hint="Write for example routed(dense('minilm')).",
            )

    @property
    def parts(self) -> tuple[Retriever]:
        """The retriever whose vectors are routed."""
        return (self.base,)

    def index(
        self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None
    ) -> RoutedIndex:
        """Index texts, whose sections ``sources`` must tell."""
        section = self.needed(sources, len(texts)).section
        flat = index_with(self.base, texts, pools, sources)
        assert isinstance(flat, DenseIndex)
        return RoutedIndex.build(flat, section, self.sections)


@dataclass(frozen=True, slots=True, eq=False)
class RoutedIndex:
    """The flat index and, beside it, one of section centroids."""

    flat: DenseIndex
    centroids: DenseIndex
    """Its chunks are rows of ``section_of_row``: one for each section of each pool."""
    section_of_row: IntArray
    section_of_chunk: IntArray
    keep: int

    @classmethod
    def build(cls, flat: DenseIndex, section: IntArray, keep: int) -> RoutedIndex:
        """Make the centroids of an index; ``section``: the section of each chunk."""
        made = [(number, *_centroids(*vectors_of(pool), section)) for number, pool in flat.pools.items()]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *(sections for _, sections, _ in made)])
        pools = np.repeat(np.array([number for number, _, _ in made], dtype=np.int64), [len(row) for _, row, _ in made])
        vectors = np.concatenate([part for _, _, part in made]) if made else np.empty((0, 0), dtype=np.float32)
        return cls(flat, index_vectors(flat.embedder, vectors, pools), rows, section, keep)

    @property
    def nbytes(self) -> int:
        """The bytes of both indexes and of the sections' numbers."""
        return self.flat.nbytes + self.centroids.nbytes + self.section_of_row.nbytes + self.section_of_chunk.nbytes

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all."""
        if depth is not None and depth < 1:
            raise UsageError(f"A ranking holds at least 1 chunk, not {depth}.")
        pools, vectors = self._asked(queries, query_pools)
        step = max(1, _ROWS // max((len(pool) for pool in self.flat.pools.values()), default=1))
        return ranking_of(
            row
            for start in range(0, len(queries), step)
            for row in self._block(vectors[start : start + step], pools[start : start + step], depth)
        )

    def kept(self, queries: Sequence[str], query_pools: npt.ArrayLike) -> Ranking:
        """Return the sections that the first stage keeps for each query, best first, in place of chunks."""
        pools, vectors = self._asked(queries, query_pools)
        return self._kept(vectors, pools)

    def _block(self, vectors: Vectors, pools: IntArray, depth: int | None) -> Iterator[tuple[IntArray, FloatArray]]:
        kept, flat = self._kept(vectors, pools), self.flat.rank_vectors(vectors, pools)
        for query in range(len(pools)):
            chunks, scores = flat.of(query)
            first = np.isin(self.section_of_chunk[chunks], kept.of(query)[0])
            order = np.argsort(~first, kind="stable")
            moved = put_below(scores[first], scores[~first])
            yield chunks[order][:depth], moved[:depth]

    def _kept(self, vectors: Vectors, pools: IntArray) -> Ranking:
        found = self.centroids.rank_vectors(vectors, pools, self.keep)
        return Ranking(found.offsets, self.section_of_row[found.chunks], found.scores)

    def _asked(self, queries: Sequence[str], query_pools: npt.ArrayLike) -> tuple[IntArray, Vectors]:
        pools = np.asarray(query_pools, dtype=np.int64)
        if len(pools) != len(queries):
            raise UsageError(f"There are {len(queries)} queries but {len(pools)} pools for them.")
        if not any(pool in self.flat.pools for pool in pools.tolist()):
            return pools, np.empty((len(queries), 0), dtype=np.float32)  # no model is loaded for nothing
        return pools, self.flat.embedder.embed(queries, "query")


def found_sections(kept: Ranking, wanted: Sequence[AbstractSet[int]]) -> npt.NDArray[np.bool_]:
    """Return for each question whether the first stage kept one of the sections that its evidence overlaps.

    Parameters
    ----------
    kept : Ranking
        From `RoutedIndex.kept`.
    wanted : sequence of sets of int, one a question
        The sections of its evidence, as `Sources.sections_with` gives them.
    """
    if len(wanted) != kept.n_questions:
        raise UsageError(f"There are {kept.n_questions} questions but the sections of {len(wanted)}.")
    return np.array(
        [not sections.isdisjoint(kept.of(number)[0].tolist()) for number, sections in enumerate(wanted)], dtype=np.bool_
    )


def _centroids(chunks: IntArray, vectors: npt.NDArray[np.floating], section: IntArray) -> tuple[IntArray, Vectors]:
    """Return the sections of some chunks, sorted, and the mean of each one's vectors brought to length 1."""
    sections, rows = np.unique(section[chunks], return_inverse=True)
    sums = np.zeros((len(sections), vectors.shape[1]))
    np.add.at(sums, rows, vectors)
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    # Vectors that cancel out leave no direction; their section is then as near to any question as to any other.
    unit = sums / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
    return sections, unit.astype(np.float32)
