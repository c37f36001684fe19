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
    plan = _plan(measures)
    values = [0.0] * len(measures)
    _read_at_cuts(plan, values, ranking, table, gold)
    for place in plan.alone:
        values[place] = _value_alone(measures[place], ranking, table, gold)
    return tuple(values)


class _Cut(NamedTuple):
    """A place where the ranking is cut, and what is read there: places among the measures, with the measures."""

    cutoff: int
    read: tuple[tuple[int, Measure], ...]


class _Plan(NamedTuple):
    """What one walk down a ranking has to do for a tuple of measures; the rest is computed alone."""

    budgets: tuple[_Cut, ...]
    counts: tuple[_Cut, ...]
    precision: bool
    alone: tuple[int, ...]


@lru_cache(maxsize=32)
def _plan(measures: tuple[Measure, ...]) -> _Plan:
    alone = [place for place, m in enumerate(measures) if m.kind == "mrr" or m.variant == "ceiling"]
    walked = [(place, m) for place, m in enumerate(measures) if place not in alone]
    return _Plan(
        budgets=_cuts([(place, m) for place, m in walked if m.unit == "tokens"]),
        counts=_cuts([(place, m) for place, m in walked if m.unit == "chunks"]),
        precision=any(m.kind == "precision" for _, m in walked),
        alone=tuple(alone),
    )


def _cuts(read: list[tuple[int, Measure]]) -> tuple[_Cut, ...]:
    cutoffs = sorted({measure.cutoff for _, measure in read})
    return tuple(_Cut(cutoff, tuple(row for row in read if row[1].cutoff == cutoff)) for cutoff in cutoffs)


def _read_at_cuts(plan: _Plan, values: list[float], ranking: Sequence[int], table: TextTable, gold: Gold) -> None:
    selections = fill(ranking, table, [cut.cutoff for cut in plan.budgets])
    selections += [Selection(min(cut.cutoff, len(ranking))) for cut in plan.counts]
    # In the order of the ranking, one growing coverage serves every cut.
    stops = sorted(zip(selections, plan.budgets + plan.counts, strict=True), key=lambda stop: stop[0].whole)
    coverage = Coverage(gold, selected=plan.precision)
    added = 0
    for selection, cut in stops:
        for number in ranking[added : selection.whole]:
            coverage.add(table.whole(number))
        added = selection.whole
        found = coverage.found(selection.part)
        for place, measure in cut.read:
            if measure.kind == "precision":
                values[place] = coverage.precision(selection.part)
            elif measure.kind == "hit":
                values[place] = hit(found)
            else:
                values[place] = best_recall(found, gold.groups) if measure.variant == "max" else recall(found)


def _value_alone(measure: Measure, ranking: Sequence[int], table: TextTable, gold: Gold) -> float:
    if measure.kind == "mrr":
        return reciprocal_rank(ranking, measure.cutoff, table, gold)
    goal: Goal = "precision" if measure.kind == "precision" else "recall"
    return ceiling(goal, measure.cutoff, ranking, table, gold)
