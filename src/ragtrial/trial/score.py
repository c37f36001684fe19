"""The scoring stage: one condition (arm x retriever) to its scores and rankings, as a pure function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import Measure
from ragtrial.measures.question import score_question
from ragtrial.measures.texts import TextTable
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.ranking import Ranking

__all__ = ["Condition", "Scored", "score_condition"]

BLOCK = 20_000_000
"""Ranked chunks held at a time: whole rankings of many questions over a large pool are made in blocks."""


@dataclass(frozen=True)
class Condition:
    """Everything that the scores of one condition depend on."""

    retriever: Retriever
    texts: tuple[str, ...]
    indexed_texts: tuple[str, ...]
    chunk_pools: npt.NDArray[np.int64]
    queries: tuple[str, ...]
    query_pools: npt.NDArray[np.int64]
    gold: tuple[Gold, ...]
    measures: tuple[Measure, ...]
    words: str
    keep: int


@dataclass(frozen=True)
class Scored:
    """The scores of one condition, shape (questions, measures), and the first ``keep`` chunks of each question."""

    values: npt.NDArray[np.float64]
    ranking: Ranking


def score_condition(condition: Condition) -> Scored:
    """Rank every question's whole pool and score it."""
    table = _table(condition.texts, condition.words)
    index = condition.retriever.index(condition.indexed_texts, condition.chunk_pools)
    rows: list[tuple[float, ...]] = []
    kept: list[Ranking] = []
    for block in _blocks(condition):
        ranking = index.rank(condition.queries[block], condition.query_pools[block])
        kept.append(ranking.top(condition.keep))
        for number, gold in enumerate(condition.gold[block]):
            chunks, _ = ranking.of(number)
            rows.append(score_question(condition.measures, chunks.tolist(), table, gold))
    return Scored(np.array(rows, dtype=np.float64).reshape(len(rows), len(condition.measures)), _joined(kept))


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
