"""The retriever ``bm25``: parameters in, ranking out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy.typing as npt
from pydantic import Field

from ragtrial.errors import SpecError
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.bm25.analysis import analyzer
from ragtrial.retrievers.bm25.index import BM25Index
from ragtrial.retrievers.bm25.postings import count_words
from ragtrial.retrievers.bm25.weights import VARIANTS, term_idf, weigh
from ragtrial.retrievers.pools import PoolGroups
from ragtrial.retrievers.ranking import offsets_of
from ragtrial.text.words import WordSplitter

__all__ = ["BM25"]

NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class BM25(Retriever):
    """Okapi BM25 and its relatives, exact in float64 (METHODS 4).

    - ``variant``: ``okapi`` (the study's; rank_bm25's BM25Okapi to the last bit), ``bm25+`` and ``bm25l`` (its BM25Plus
      and BM25L), ``lucene``, ``atire`` (Kamphuis et al. 2020). As in rank_bm25, ``bm25+`` adds the lower bound of a
      query word to all chunks, also to those without the word.
    - ``words``: ``unicode`` (`ragtrial.text.words.search_words`) or ``study`` (``[a-z0-9]+``).
    - ``k1``, ``b``: saturation of repeated words, strength of the length norm.
    - ``epsilon``: ``okapi`` only; a negative idf becomes ``epsilon`` x the mean idf of the pool's vocabulary.
    - ``delta``: ``bm25+`` (default 1.0) and ``bm25l`` (0.5) only.
    - ``stem``, ``stop``: a language such as ``english`` or ``en``; need the extra ``stem``.
    - ``statistics``: whose number of chunks, chunks with a word, mean length and mean idf count. ``pool``: those of the
      question's pool, as if it were indexed alone. ``corpus``: those of all chunks, as in a search engine that filters
      one index by the pool. Where all questions share one pool, they are the same.

    A query word that none of these chunks has adds nothing; one that the query repeats counts each time. Where
    rank_bm25 divides by zero (no word in any chunk; an empty chunk with ``b`` = 1) a word that a chunk lacks adds
    nothing to it.
    """

    spec_name: ClassVar[str] = "bm25"
    positional: ClassVar[int] = 0
    least_score: ClassVar[float | None] = 0.0

    variant: Literal["okapi", "bm25+", "bm25l", "lucene", "atire"] = "okapi"
    words: Literal["unicode", "study"] = "unicode"
    k1: NotNegative = 1.5
    b: Annotated[float, Field(ge=0, le=1)] = 0.75
    epsilon: NotNegative = 0.25
    delta: NotNegative | None = None
    stem: str | None = None
    stop: str | None = None
    statistics: Literal["pool", "corpus"] = "pool"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta is not None and VARIANTS[self.variant].delta is None:
            raise SpecError(
                f"bm25 cannot be built: the variant {self.variant!r} has no delta.",
                hint="Leave delta out, or use the variant 'bm25+' or 'bm25l'.",
            )
        self._analyzer()  # an unknown language is a fault of the expression, not of the run

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values; ``delta`` is the variant's own if none was given."""
        return super().parameters() | {"delta": self._delta()}

    to_dict = parameters

    def index(self, texts: Sequence[str], pools: npt.ArrayLike | None = None) -> BM25Index:
        """Index texts, each in the pool whose number ``pools`` gives; without ``pools`` all are in pool 0."""
        analyze = self._analyzer()
        groups = PoolGroups.of(pools, len(texts))
        return self._built((analyze(texts[chunk]) for chunk in groups.chunks.tolist()), groups)

    def index_words(self, words: Sequence[Sequence[str]], pools: npt.ArrayLike | None = None) -> BM25Index:
        """Index chunks that were split into words beforehand; questions are still split by this retriever."""
        groups = PoolGroups.of(pools, len(words))
        return self._built((words[chunk] for chunk in groups.chunks.tolist()), groups)

    def _built(self, words: Iterable[Sequence[str]], groups: PoolGroups) -> BM25Index:
        variant, delta = VARIANTS[self.variant], self._delta() or 0.0
        shared = self.statistics == "corpus"
        postings = count_words(words, [sum(groups.sizes)] if shared else groups.sizes)
        idf = term_idf(postings, variant, self.epsilon)
        return BM25Index(
            analyze=self._analyzer(),
            places={number: place for place, number in enumerate(groups.pools)},
            numbers=groups.chunks,
            pool_chunks=offsets_of(groups.sizes),
            shared=shared,
            vocabularies=postings.vocabularies,
            offsets=postings.offsets,
            chunks=postings.chunks,
            weights=weigh(postings, variant, idf, k1=self.k1, b=self.b, delta=delta),
            everywhere=idf * delta if variant.everywhere else None,
        )

    def _delta(self) -> float | None:
        return VARIANTS[self.variant].delta if self.delta is None else self.delta

    def _analyzer(self) -> WordSplitter:
        return analyzer(self.words, stop=self.stop, stem=self.stem)
