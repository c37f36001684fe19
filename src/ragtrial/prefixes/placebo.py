"""The placebo: a breadcrumb of another document, which says nothing about the chunk (KMR's P; METHODS section 3.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.prefixes.breadcrumb import Breadcrumb
from ragtrial.prefixes.derangement import derange

__all__ = ["Placebo", "PlaceboDepth", "PlaceboReport"]


class PlaceboDepth(NamedTuple):
    """The pairs whose breadcrumbs show ``depth`` titles, and how many of them got one of their own document."""

    depth: int
    pairs: int
    residual: int


@dataclass(frozen=True)
class PlaceboReport:
    """How null a placebo is.

    Parameters
    ----------
    chunks, pairs : int
        The chunks, and the unique pairs of a document and a breadcrumb.
    residual, residual_chunks : int
        The pairs whose placebo is of their own document, and the chunks that have such a pair.
    same_text_chunks : int
        The chunks whose placebo reads like their own breadcrumb, of whatever document it is.
    depths : tuple of PlaceboDepth
        The same by depth, since placebos are drawn within a depth.
    """

    chunks: int
    pairs: int
    residual: int
    residual_chunks: int
    same_text_chunks: int
    depths: tuple[PlaceboDepth, ...]


@dataclass(frozen=True)
class Placebo(Breadcrumb):
    """Put a breadcrumb of another document before each chunk.

    The unique pairs of a document and a breadcrumb are permuted among those of one depth with
    a fixed seed, so that no document gets its own: in format, depth and length the placebos
    are the breadcrumbs themselves. All chunks of a pair get the same placebo. Where a document
    has more than half of the pairs of a depth, some of its own are left; `report` counts them.

    Parameters
    ----------
    depth, title, count_title, separator
        Those of the breadcrumb that it stands against; see `Breadcrumb`.
    seed : int
        Of the permutation.
    """

    spec_name: ClassVar[str] = "placebo"

    seed: Annotated[int, Field(ge=0)] = 0

    @property
    def corpus_wide(self) -> bool:
        """Whether the step needs all chunks at once: it gives each document what others have."""
        return True

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their placebo in front of whatever prefix they have."""
        drawn = self._draw(chunks)
        put = self._put(chunks, [drawn.trails[drawn.given[pair]] for pair in drawn.pair_of_chunk])
        return put.noting({"step": self.spec_name, "given": str(self)} | asdict(_report(drawn)))

    def report(self, chunks: ChunkSet) -> PlaceboReport:
        """Return the counts of what is left of the chunks' own documents."""
        return _report(self._draw(chunks))

    def _draw(self, chunks: ChunkSet) -> _Drawn:
        numbers: dict[tuple[int, tuple[str, ...]], int] = {}
        pair_of_chunk = [
            numbers.setdefault(pair, len(numbers))
            for pair in zip(chunks.document.tolist(), self.trails(chunks), strict=True)
        ]
        trails = [trail for _, trail in numbers]
        documents = [document for document, _ in numbers]
        return _Drawn(pair_of_chunk, trails, documents, _assign(documents, trails, self.seed))


class _Drawn(NamedTuple):
    """Each chunk's pair; each pair's breadcrumb and document, and the pair whose breadcrumb it gets."""

    pair_of_chunk: list[int]
    trails: list[tuple[str, ...]]
    documents: list[int]
    given: list[int]


def _report(drawn: _Drawn) -> PlaceboReport:
    own = [drawn.documents[pair] == drawn.documents[other] for pair, other in enumerate(drawn.given)]
    same = [drawn.trails[pair] == drawn.trails[other] for pair, other in enumerate(drawn.given)]
    depths = Counter(len(trail) for trail in drawn.trails)
    left = Counter(len(trail) for trail, is_own in zip(drawn.trails, own, strict=True) if is_own)
    return PlaceboReport(
        chunks=len(drawn.pair_of_chunk),
        pairs=len(drawn.trails),
        residual=sum(own),
        residual_chunks=sum(own[pair] for pair in drawn.pair_of_chunk),
        same_text_chunks=sum(same[pair] for pair in drawn.pair_of_chunk),
        depths=tuple(PlaceboDepth(depth, count, left[depth]) for depth, count in sorted(depths.items())),
    )


def _assign(documents: list[int], trails: list[tuple[str, ...]], seed: int) -> list[int]:
    generator = np.random.default_rng(seed)
    groups: npt.NDArray[np.int64] = np.array(documents, dtype=np.int64)
    depths: npt.NDArray[np.int64] = np.array([len(trail) for trail in trails], dtype=np.int64)
    given = np.arange(len(trails), dtype=np.int64)
    for depth in np.unique(depths).tolist():
        bucket = np.flatnonzero(depths == depth)
        given[bucket] = bucket[derange(groups[bucket], generator)]
    result: list[int] = given.tolist()
    return result
