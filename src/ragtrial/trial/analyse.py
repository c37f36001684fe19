"""The last stage: scores to means with intervals, contrasts and verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ragtrial.questions.model import Question
from ragtrial.statistics.compare import Comparison, Paired, compare_many
from ragtrial.statistics.families import Judged, Row, judge
from ragtrial.trial.config import Contrast, Trial

__all__ = ["Scores", "analyse"]

_BUDGETED = re.compile(r"@(\d+)t$")

POINT = 0.01
"""One point of a measure."""


@dataclass(frozen=True)
class Scores:
    """All values of a trial: ``values[arm, retriever]`` has shape (questions, measures)."""

    questions: Sequence[Question]
    measures: tuple[str, ...]
    values: Mapping[tuple[str, str], npt.NDArray[np.float64]]

    def of(self, arm: str, retriever: str, measure: str) -> npt.NDArray[np.float64]:
        """Return one value a question."""
        return self.values[arm, retriever][:, self.measures.index(measure)]


@dataclass(frozen=True)
class _Asked:
    """One paired comparison to make, and where its result goes."""

    contrast: Contrast
    retriever: str
    measure: str

    def pair(self, scores: Scores, labels: list[str], strata: list[str] | None) -> Paired:
        a, b = self.contrast.arms
        return Paired(
            scores.of(a, self.retriever, self.measure),
            scores.of(b, self.retriever, self.measure),
            labels,
            strata,
            margin=None if self.contrast.margin is None else self.contrast.margin * POINT,
            test=self.contrast.test,
        )


def analyse(trial: Trial, scores: Scores) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of conditions (means with intervals) and the rows of contrasts (with verdicts and curves)."""
    labels = [question.cluster for question in scores.questions]
    strata = _strata(scores.questions)
    planned = [
        _Asked(contrast, contrast.retriever or trial.primary_retriever, contrast.measure or trial.primary)
        for contrast in trial.contrasts
    ]
    curves = [[_Asked(a.contrast, a.retriever, m) for m in _same_kind(a.measure, scores.measures)] for a in planned]
    asked = planned + [point for curve in curves for point in curve]
    cells = [(arm, retriever, m) for arm, retriever in scores.values for m in scores.measures]
    zeros = np.zeros(len(labels))
    pairs = [item.pair(scores, labels, strata) for item in asked]
    pairs += [Paired(scores.of(*cell), zeros, labels, strata) for cell in cells]
    results = compare_many(pairs, interval=trial.interval, resamples=trial.resamples, seed=trial.seed)
    compared = dict(zip(((id(item)) for item in asked), results, strict=False))
    judged = judge([Row(compared[id(item)], "exploratory", item.contrast.family) for item in planned])
    contrasts = [
        _contrast_row(item, compared[id(item)], verdict) | {"curve": [_point(p, compared[id(p)]) for p in curve]}
        for item, verdict, curve in zip(planned, judged, curves, strict=True)
    ]
    means = [_mean_row(cell, result) for cell, result in zip(cells, results[len(asked) :], strict=True)]
    return means, contrasts


def _strata(questions: Sequence[Question]) -> list[str] | None:
    if all(question.stratum is None for question in questions):
        return None
    return ["" if question.stratum is None else question.stratum for question in questions]


def _same_kind(measure: str, measures: Sequence[str]) -> list[str]:
    """Return the measures that differ from one only in their token budget, by budget."""
    if not _BUDGETED.search(measure):
        return []
    kind = _BUDGETED.sub("", measure)
    same = [(int(found[1]), name) for name in measures if (found := _BUDGETED.search(name))]
    return [name for _, name in sorted(same) if _BUDGETED.sub("", name) == kind]


def _contrast_row(asked: _Asked, result: Comparison, judged: Judged) -> dict[str, Any]:
    a, b = asked.contrast.arms
    return {
        "name": asked.contrast.name,
        "a": a,
        "b": b,
        "retriever": asked.retriever,
        "measure": asked.measure,
        "test": result.test,
        "margin": result.margin,
        "family": asked.contrast.family,
        "tier": judged.tier,
        "questions": result.n,
        "clusters": result.n_clusters,
        "mean_a": result.mean_a,
        "mean_b": result.mean_b,
        "difference": result.difference,
        "ci90": result.ci90,
        "ci95": result.ci95,
        "interval": result.interval,
        "z0": result.z0,
        "acceleration": result.acceleration,
        "p_sign_flip": result.p_sign_flip,
        "p_sign_flip_holm": judged.p_sign_flip,
        "p_margin": result.p_margin,
        "p_margin_holm": judged.p_margin,
        "dz": result.dz,
        "wins": result.wins,
        "ties": result.ties,
        "losses": result.losses,
        "mde": result.mde,
        "verdict": judged.verdict.word,
        "direction": judged.verdict.direction,
        "remark": judged.verdict.remark,
        "notes": list(result.notes),
    }


def _point(asked: _Asked, result: Comparison) -> dict[str, Any]:
    return {
        "measure": asked.measure,
        "difference": result.difference,
        "ci90": result.ci90,
        "ci95": result.ci95,
        "verdict": result.verdict,
        "direction": result.direction,
        "remark": result.remark,
    }


def _mean_row(cell: tuple[str, str, str], result: Comparison) -> dict[str, Any]:
    arm, retriever, measure = cell
    return {"arm": arm, "retriever": retriever, "measure": measure, "mean": result.difference, "ci95": result.ci95}
