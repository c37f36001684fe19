"""The retriever ``rerank``: a model that reads question and text together puts the head of a ranking in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragtrial.errors import UsageError
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.reordered import put_below, ranking_of
from ragtrial.retrievers.rerankers.load import load
from ragtrial.retrievers.rerankers.model import Reranker
from ragtrial.retrievers.rerankers.options import RerankerBackend, RerankerOptions
from ragtrial.retrievers.sources import SourceReader, Sources, index_with

__all__ = ["Rerank", "RerankedIndex"]

Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Rerank(SourceReader):
    """A cross-encoder over the first ``depth`` chunks of another retriever's ranking (METHODS 4).

    ``rerank(bm25, 'BAAI/bge-reranker-v2-m3', depth=50)``. The model reads the indexed text, prefix included. Equal
    scores keep the order of ``base``, and ranks below ``depth`` stay as they were. All parameters but ``base`` and
    ``depth`` are those of `ragtrial.retrievers.rerankers.options.RerankerOptions`.

    Scores above ``depth`` are the model's, those below are the base's, moved down where they would else be higher.
    """

    spec_name: ClassVar[str] = "rerank"
    positional: ClassVar[int] = 2

    base: Retriever
    model: str
    depth: Count = 30
    backend: RerankerBackend = "sentence-transformers"
    url: str | None = None
    max_length: Annotated[int, Field(ge=8)] | None = None
    task: str | None = None
    key_variable: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options()  # an option that the backend does not take is a fault of the expression, not of the run

    @property
    def parts(self) -> tuple[Retriever]:
        """The retriever whose ranking is put in order."""
        return (self.base,)

    def options(self) -> RerankerOptions:
        """Return what is asked of the model."""
        return RerankerOptions(**{field.name: getattr(self, field.name) for field in fields(RerankerOptions)})

    def reranker(self) -> Reranker:
        """Return the reranker of this process, with the cache in front of it."""
        return load(self.options())

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values.

        Under ``reranker`` stands what the model is by content, without the versions of the libraries that run it.
        """
        identity = {key: value for key, value in self.reranker().identity().items() if key != "runtime"}
        return super().parameters() | {"reranker": identity}

    to_dict = parameters

    def index(
        self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None
    ) -> RerankedIndex:
        """Index texts with the base retriever, and keep them to be read again."""
        return RerankedIndex(self.reranker(), self.depth, texts, index_with(self.base, texts, pools, sources))


@dataclass(frozen=True, slots=True, eq=False)
class RerankedIndex:
    """The base's index, and the texts that the model reads."""

    reranker: Reranker
    depth: int
    texts: Sequence[str]
    base: Index

    @property
    def nbytes(self) -> int:
        """The bytes of the base's index; the texts, which the model reads, are not counted."""
        return self.base.nbytes

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all.

        However small ``depth`` is, the model reads the first chunks of the base down to its own depth, so the head of
        a ranking does not depend on ``depth``.
        """
        if depth is not None and depth < 1:
            raise UsageError(f"A ranking holds at least 1 chunk, not {depth}.")
        found = self.base.rank(queries, query_pools, None if depth is None else max(depth, self.depth))
        rows = ranking_of(
            _reordered(found, number, scores) for number, scores in enumerate(self._scores(queries, found))
        )
        return rows if depth is None else rows.top(depth)

    def _scores(self, queries: Sequence[str], found: Ranking) -> Iterator[npt.NDArray[np.float32]]:
        return self.reranker.scores(
            (query, [self.texts[chunk] for chunk in found.of(number)[0][: self.depth].tolist()])
            for number, query in enumerate(queries)
        )


def _reordered(
    found: Ranking, question: int, scores: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    chunks, base_scores = found.of(question)
    order = np.argsort(-scores, kind="stable")
    return (
        np.concatenate((chunks[order], chunks[len(order) :])),
        put_below(scores[order].astype(np.float64), base_scores[len(order) :]),
    )
