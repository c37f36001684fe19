"""All measures of spans on one question's ranking, with the work shared between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.measures.coverage_ndcg import coverage_ndcg
from ragtrial.measures.names import Measure
from ragtrial.measures.span_budget import SpanSelection, fill_spans, kept_spans
from ragtrial.measures.span_coverage import covered, mean_coverage, span_recall
from ragtrial.measures.span_relevance import relevant_chunks, span_mrr, span_ndcg
from ragtrial.measures.spans import Candidate, GoldSpans, SpanTable

__all__ = ["score_spans"]

Candidates: TypeAlias = Mapping[int, Candidate]


def score_spans(
    measures: Sequence[Measure], ranking: npt.NDArray[np.int64], table: SpanTable, gold: GoldSpans
) -> tuple[float, ...]:
    """Return the value of each measure on one ranking.

    Parameters
    ----------
    measures : sequence of Measure
        Those with `Measure.needs_spans`.
    ranking : int64 array, shape (ranked chunks,)
        Chunk numbers, best first, none twice. `coverage-ndcg` may pass 1 and the ideals look at all chunks of the
        table, so a condition's table holds the chunks of its own set only.
    table : SpanTable
    gold : GoldSpans
        Evidence in the documents of the table.

    Returns
    -------
    tuple of float, one for each measure

    Raises
    ------
    UsageError
        A measure that is not one of spans.
    """
    other = [measure.name for measure in measures if not measure.needs_spans]
    if other:
        raise UsageError(f"{other[0]} is not a measure of spans.", hint="It is scored on texts, by score_question.")
    question = _Question(measures, ranking, table, gold)
    return tuple(question.value(measure) for measure in measures)


class _Question:
    """One ranking with what several measures need of it: candidates, judgements, and where budgets end."""

    def __init__(
        self, measures: Sequence[Measure], ranking: npt.NDArray[np.int64], table: SpanTable, gold: GoldSpans
    ) -> None:
        self._ranking, self._table, self._gold = ranking, table, gold
        self._candidates = table.candidates(gold)
        self._relevant = (
            relevant_chunks(self._candidates, gold) if any(m.kind in {"ndcg", "span-mrr"} for m in measures) else []
        )
        budgets = sorted({measure.cutoff for measure in measures if measure.unit == "tokens"})
        self._selections: dict[int, SpanSelection] = {}
        if budgets:
            self._selections = dict(zip(budgets, fill_spans(ranking, table, budgets), strict=True))

    def value(self, measure: Measure) -> float:
        match measure.kind:
            case "coverage":
                return mean_coverage(covered(self._within(measure), self._gold), self._gold)
            case "coverage-ndcg":
                return coverage_ndcg(self._top(measure), self._candidates, self._gold, measure.cutoff)
            case "ndcg":
                return span_ndcg(self._top(measure), self._relevant, measure.cutoff)
            case "span-mrr":
                return span_mrr(self._ranking, self._relevant, measure.cutoff or None)
            case _:
                return span_recall(covered(self._chosen(self._top(measure)), self._gold), self._gold)

    def _top(self, measure: Measure) -> list[int]:
        top: list[int] = self._ranking[: measure.cutoff].tolist()
        return top

    def _chosen(self, numbers: Sequence[int]) -> list[Candidate]:
        return [self._candidates[number] for number in numbers if number in self._candidates]

    def _within(self, measure: Measure) -> list[Candidate]:
        """Return the selected chunks that share characters with the evidence, and the part of the next one."""
        whole, left = self._selections[measure.cutoff]
        chosen = self._chosen(self._ranking[:whole].tolist())
        if measure.variant == "cut" and left and (number := int(self._ranking[whole])) in self._candidates:
            chosen.append(Candidate(self._table.document(number), kept_spans(self._table, number, left)))
        return chosen
