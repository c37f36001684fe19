"""All measures of one question's ranking, with the work shared between them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ragtrial.errors import UsageError
from ragtrial.measures.budget import Selection, fill
from ragtrial.measures.ceiling import Goal, ceiling
from ragtrial.measures.coverage import Coverage
from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import Measure
from ragtrial.measures.ranked import reciprocal_rank
from ragtrial.measures.recall import best_recall, hit, recall
from ragtrial.measures.texts import TextTable

__all__ = ["score_question"]


def score_question(
    measures: tuple[Measure, ...], ranking: Sequence[int], table: TextTable, gold: Gold
) -> tuple[float, ...]:
    """Return the value of each measure on one ranking.

    Parameters
    ----------
    measures : tuple of Measure
    ranking : sequence of int
        Numbers of texts in the table, best first; for a ceiling, the whole pool.
    table : TextTable
        The chunks' own texts.
    gold : Gold
        The question's evidence, split into words as the table's texts are.

    Returns
    -------
    tuple of float, one for each measure
        All between 0 and 1.

    Raises
    ------
    UsageError
        Texts and evidence were split into words by different rules, so nothing could be matched.
    """
    if table.words != gold.words:
        raise UsageError(
            f"The chunks are split into {table.words!r} words but the evidence into {gold.words!r} words.",
            hint="Prepare both with the same splitter.",
        )
    values = _values_at_cuts(_cuts(measures), ranking, table, gold)
    return tuple(
        values[measure] if measure in values else _value_alone(measure, ranking, table, gold) for measure in measures
    )


class _Cuts(NamedTuple):
    """The measures that are read where the ranking is cut, by that cut: token budgets and numbers of chunks."""

    budgets: tuple[int, ...]
    counts: tuple[int, ...]
    at_budgets: tuple[tuple[Measure, ...], ...]
    at_counts: tuple[tuple[Measure, ...], ...]
    precision: bool


@lru_cache(maxsize=32)
def _cuts(measures: tuple[Measure, ...]) -> _Cuts:
    read = [measure for measure in measures if measure.kind != "mrr" and measure.variant != "ceiling"]
    by_unit = {unit: [measure for measure in read if measure.unit == unit] for unit in ("tokens", "chunks")}
    budgets, counts = (tuple(sorted({measure.cutoff for measure in group})) for group in by_unit.values())
    return _Cuts(
        budgets=budgets,
        counts=counts,
        at_budgets=tuple(tuple(m for m in by_unit["tokens"] if m.cutoff == budget) for budget in budgets),
        at_counts=tuple(tuple(m for m in by_unit["chunks"] if m.cutoff == count) for count in counts),
        precision=any(measure.kind == "precision" for measure in read),
    )


def _values_at_cuts(cuts: _Cuts, ranking: Sequence[int], table: TextTable, gold: Gold) -> dict[Measure, float]:
    selections = fill(ranking, table, cuts.budgets)
    selections += [Selection(min(count, len(ranking))) for count in cuts.counts]
    # In the order of the ranking, one growing coverage serves every cut.
    stops = sorted(zip(selections, cuts.at_budgets + cuts.at_counts, strict=True), key=lambda stop: stop[0].whole)
    coverage = Coverage(gold, selected=cuts.precision)
    values: dict[Measure, float] = {}
    added = 0
    for selection, measures in stops:
        for number in ranking[added : selection.whole]:
            coverage.add(table.whole(number))
        added = max(added, selection.whole)
        found = coverage.found(selection.part)
        for measure in measures:
            values[measure] = _value(measure, found, coverage, selection, gold)
    return values


def _value(measure: Measure, found: list[bool], coverage: Coverage, selection: Selection, gold: Gold) -> float:
    if measure.kind == "precision":
        return coverage.precision(selection.part)
    if measure.kind == "hit":
        return hit(found)
    return best_recall(found, gold.groups) if measure.variant == "max" else recall(found)


def _value_alone(measure: Measure, ranking: Sequence[int], table: TextTable, gold: Gold) -> float:
    if measure.kind == "mrr":
        return reciprocal_rank(ranking, measure.cutoff, table, gold)
    goal: Goal = "precision" if measure.kind == "precision" else "recall"
    return ceiling(goal, measure.cutoff, ranking, table, gold)
