"""The scoring stage: one condition (arm x retriever) to its scores and rankings, as a pure function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import Measure
from ragtrial.measures.question import score_question
from ragtrial.measures.span_budget import token_bounds
from ragtrial.measures.span_question import score_spans
from ragtrial.measures.spans import GoldSpans, SpanTable
from ragtrial.measures.texts import TextTable
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.sources import Sources, index_with
from ragtrial.text import tokens

__all__ = ["Condition", "Scored", "score_condition"]

BLOCK = 20_000_000
"""Ranked chunks held at a time: whole rankings of many questions over a large pool are made in blocks."""


@dataclass(frozen=True)
class Condition:
    """Everything that the scores of one condition depend on.

    ``texts`` are the chunks' own texts and ``prefixes`` what is indexed before them; ``joiner``
    is what stands between the spans of a chunk. ``gold_spans`` is empty if no measure needs it.
    """

    retriever: Retriever
    texts: tuple[str, ...]
    prefixes: tuple[str, ...]
    joiner: str | None
    sources: Sources
    chunk_pools: npt.NDArray[np.int64]
    queries: tuple[str, ...]
    query_pools: npt.NDArray[np.int64]
    gold: tuple[Gold, ...]
    gold_spans: tuple[GoldSpans, ...]
    measures: tuple[Measure, ...]
    words: str
    keep: int

    @cached_property
    def indexed_texts(self) -> tuple[str, ...]:
        """What the retriever sees."""
        return tuple(prefix + text for prefix, text in zip(self.prefixes, self.texts, strict=True))


@dataclass(frozen=True)
class Scored:
    """The scores of one condition, shape (questions, measures), and the first ``keep`` chunks of each question."""

    values: npt.NDArray[np.float64]
    ranking: Ranking


def score_condition(condition: Condition) -> Scored:
    """Rank every question's whole pool and score it."""
    index = index_with(condition.retriever, condition.indexed_texts, condition.chunk_pools, condition.sources)
    scorer = _Scorer(condition)
    rows: list[list[float]] = []
    kept: list[Ranking] = []
    for block in _blocks(condition):
        ranking = index.rank(condition.queries[block], condition.query_pools[block])
        kept.append(ranking.top(condition.keep))
        rows += [scorer.score(block.start + number, ranking.of(number)[0]) for number in range(ranking.n_questions)]
    return Scored(np.array(rows, dtype=np.float64).reshape(len(rows), len(condition.measures)), _joined(kept))


class _Scorer:
    """The measures of a condition: those on texts and those on spans, each with its own table."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._by_text = tuple(measure for measure in condition.measures if not measure.needs_spans)
        self._by_span = tuple(measure for measure in condition.measures if measure.needs_spans)
        self._texts = _table(condition.texts, condition.words)
        self._spans = _span_table(condition) if self._by_span else None

    def score(self, number: int, ranking: npt.NDArray[np.int64]) -> list[float]:
        """Return the values of all measures on one question's ranking, in the order of the condition."""
        values: dict[Measure, float] = {}
        if self._by_text:
            found = score_question(self._by_text, ranking.tolist(), self._texts, self._condition.gold[number])
            values |= zip(self._by_text, found, strict=True)
        if self._spans is not None:
            found = score_spans(self._by_span, ranking, self._spans, self._condition.gold_spans[number])
            values |= zip(self._by_span, found, strict=True)
        return [values[measure] for measure in self._condition.measures]


def _span_table(condition: Condition) -> SpanTable:
    sources, joiner = condition.sources, condition.joiner

    def bounds(number: int) -> npt.NDArray[np.int64]:
        if joiner is None:
            return token_bounds([condition.texts[number]])
        text = sources.documents[int(sources.document[number])]
        return token_bounds([text[start:end] for start, end in sources.spans(number)], joiner)

    return SpanTable(
        documents=sources.document,
        offsets=sources.offsets,
        starts=sources.starts,
        ends=sources.ends,
        prefix_tokens=np.array([tokens.count(prefix) for prefix in condition.prefixes], dtype=np.int64),
        token_bounds=bounds,
    )


def _blocks(condition: Condition) -> list[slice]:
    largest = int(np.bincount(condition.chunk_pools).max()) if len(condition.chunk_pools) else 1
    step = max(1, BLOCK // max(largest, 1))
    return [slice(start, start + step) for start in range(0, len(condition.queries), step)]


def _joined(rankings: Sequence[Ranking]) -> Ranking:
    lengths = np.concatenate([np.diff(ranking.offsets) for ranking in rankings])
    return Ranking(
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)]),
        np.concatenate([ranking.chunks for ranking in rankings]),
        np.concatenate([ranking.scores for ranking in rankings]),
    )


@lru_cache(maxsize=1)
def _table(texts: tuple[str, ...], words: str) -> TextTable:
    # Arms that differ only in their prefix share the chunks' own texts, hence their tokens and grams.
    return TextTable(texts, words)
