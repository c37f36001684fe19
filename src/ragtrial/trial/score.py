"""The scoring stage: one condition (arm x retriever) to its scores and rankings, as a pure function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import Measure
from ragtrial.measures.question import score_question
from ragtrial.measures.span_budget import token_bounds
from ragtrial.measures.span_question import score_spans
from ragtrial.measures.spans import GoldSpans, SpanTable
from ragtrial.measures.texts import TextTable
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.sources import Sources, index_with
from ragtrial.retrievers.tuning import TunedWeight
from ragtrial.text import tokens
from ragtrial.trial.routing import kept_evidence
from ragtrial.trial.weights import Fitted, fit_weights
from ragtrial.trial.withheld import Withheld, without_withheld

__all__ = ["Condition", "HeldOut", "Scored", "score_condition", "span_table"]

BLOCK = 20_000_000
"""Ranked chunks held at a time: whole rankings of many questions over a large pool are made in blocks."""


@dataclass(frozen=True)
class HeldOut:
    """Questions that weights are tuned on and that no score of the condition sees; see `Condition`."""

    queries: tuple[str, ...]
    query_pools: npt.NDArray[np.int64]
    gold: tuple[Gold, ...]
    gold_spans: tuple[GoldSpans, ...]
    primary: Measure
    withheld: Withheld = ()


@dataclass(frozen=True)
class Condition:
    """Everything that the scores of one condition depend on.

    ``texts`` are the chunks' own texts, ``prefixes`` and ``suffixes`` what is indexed before and behind them;
    ``joiner`` is what stands between the spans of a chunk. ``gold_spans`` is empty where no measure and no retriever
    needs it, ``withheld`` where nothing is out of the pool of any question. ``redrawn`` are the same condition with the
    arm's other random draws, over all of which a question's scores are averaged.
    """

    retriever: Retriever
    texts: tuple[str, ...]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
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
    held_out: HeldOut | None = None
    withheld: Withheld = ()
    redrawn: tuple[Condition, ...] = ()

    @cached_property
    def indexed_texts(self) -> tuple[str, ...]:
        """What the retriever sees."""
        return tuple(map("".join, zip(self.prefixes, self.texts, self.suffixes, strict=True)))


@dataclass(frozen=True)
class Scored:
    """The scores of one condition, shape (questions, measures), and the first ``keep`` chunks of each question.

    ``routed`` tells for each question whether a two-stage retriever's first stage kept a section with the evidence;
    None for other retrievers, and where the evidence has no place in a document. ``weights`` are those that were tuned.
    """

    values: npt.NDArray[np.float64]
    ranking: Ranking
    routed: npt.NDArray[np.bool_] | None = None
    weights: tuple[TunedWeight, ...] = ()


def score_condition(condition: Condition) -> Scored:
    """Rank every question's whole pool and score it; rankings are those of the arm's first draw."""
    scored = _score_draw(condition)
    if not condition.redrawn:
        return scored
    values = [scored.values, *(_score_draw(other).values for other in condition.redrawn)]
    return replace(scored, values=np.mean(values, axis=0))


def _score_draw(condition: Condition) -> Scored:
    fitted = _fitted(condition)
    index = _index(condition, fitted.retriever)
    scorer = _Scorer(condition)
    rows: list[list[float]] = []
    kept: list[Ranking] = []
    for block in _blocks(condition):
        ranking = index.rank(condition.queries[block], condition.query_pools[block])
        ranking = without_withheld(ranking, condition.sources, condition.withheld[block])
        kept.append(ranking.top(condition.keep))
        rows += [scorer.score(block.start + number, ranking.of(number)[0]) for number in range(ranking.n_questions)]
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(condition.measures))
    routed = None
    if condition.gold_spans:
        routed = kept_evidence(index, condition.sources, condition.queries, condition.query_pools, condition.gold_spans)
    return Scored(values, _joined(kept), routed, fitted.weights)


def _index(condition: Condition, retriever: Retriever) -> Index:
    return index_with(retriever, condition.indexed_texts, condition.chunk_pools, condition.sources)


def _fitted(condition: Condition) -> Fitted:
    """Return the retriever with every weight tuned on the held-out questions."""
    held_out = condition.held_out
    if held_out is None:
        return Fitted(condition.retriever)
    scorer = _Scorer(
        replace(
            condition,
            queries=held_out.queries,
            query_pools=held_out.query_pools,
            gold=held_out.gold,
            gold_spans=held_out.gold_spans,
            measures=(held_out.primary,),
        )
    )
    return fit_weights(
        condition.retriever,
        lambda part: without_withheld(
            _index(condition, part).rank(held_out.queries, held_out.query_pools), condition.sources, held_out.withheld
        ),
        lambda ranking: [scorer.score(number, ranking.of(number)[0])[0] for number in range(ranking.n_questions)],
    )


class _Scorer:
    """The measures of a condition: those on texts and those on spans, each with its own table."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._by_text = tuple(measure for measure in condition.measures if not measure.needs_spans)
        self._by_span = tuple(measure for measure in condition.measures if measure.needs_spans)
        self._texts = _table(condition.texts, condition.words)
        self._spans = (
            span_table(
                condition.sources, condition.texts, condition.prefixes, condition.suffixes, joiner=condition.joiner
            )
            if self._by_span
            else None
        )

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


def span_table(
    sources: Sources, texts: Sequence[str], prefixes: Sequence[str], suffixes: Sequence[str], *, joiner: str | None
) -> SpanTable:
    """Return an arm's chunks as measures of spans need them."""

    def bounds(number: int) -> npt.NDArray[np.int64]:
        if joiner is None:
            return token_bounds([texts[number]])
        text = sources.documents[int(sources.document[number])]
        return token_bounds([text[start:end] for start, end in sources.spans(number)], joiner)

    return SpanTable(
        documents=sources.document,
        offsets=sources.offsets,
        starts=sources.starts,
        ends=sources.ends,
        prefix_tokens=_token_counts(prefixes),
        suffix_tokens=_token_counts(suffixes),
        token_bounds=bounds,
    )


def _token_counts(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    # Chunks of one section share their prefix, and most arms put nothing behind any chunk.
    count = cache(tokens.count)
    return np.array([count(text) for text in texts], dtype=np.int64)


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
