"""The last stage: scores to means with intervals, contrasts and verdicts.

Everything is made from the effective parameters as a record holds them and from the
table of scores, so that `ragtrial.trial.verify` can make it again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragtrial.statistics.compare import Comparison, Paired, compare_many
from ragtrial.statistics.families import Judged, Row, judge
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["POINT", "analyse"]

_BUDGETED = re.compile(r"@(\d+)t$")

POINT = 0.01
"""One point of a measure."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """One paired comparison to make: a contrast, as effective parameters hold it, under one measure."""

    name: str
    contrast: Mapping[str, Any]
    measure: str

    def pair(self, scores: Scores) -> Paired:
        row = self.contrast
        a, b = (scores.of(*cell, self.measure) for cell in sides(row))
        return Paired(
            a,
            b,
            scores.clusters,
            scores.strata,
            margin=None if row["margin"] is None else row["margin"] * POINT,
            test=row["test"],
        )


def analyse(effective: Mapping[str, Any], scores: Scores) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of conditions (means with intervals) and the rows of contrasts (with verdicts and curves)."""
    rows = [_Asked(name, contrast, contrast["measure"]) for name, contrast in effective["contrasts"].items()]
    curves = [
        [_Asked(row.name, row.contrast, measure) for measure in _same_kind(row.measure, scores.measures)]
        for row in rows
    ]
    asked = [*rows, *(point for curve in curves for point in curve)]
    cells = [(arm, retriever, measure) for arm, retriever in scores.values for measure in scores.measures]
    zeros = np.zeros(len(scores.questions))
    pairs = [item.pair(scores) for item in asked]
    pairs += [Paired(scores.of(*cell), zeros, scores.clusters, scores.strata) for cell in cells]
    results = compare_many(
        pairs, interval=effective["interval"], resamples=effective["resamples"], seed=effective["seed"]
    )
    compared = dict(zip(asked, results, strict=False))
    judged = judge([_row(compared[row], row.contrast, effective["families"]) for row in rows])
    contrasts = [
        _contrast_row(row, compared[row], verdict) | {"curve": [_point(point, compared[point]) for point in curve]}
        for row, verdict, curve in zip(rows, judged, curves, strict=True)
    ]
    means = [_mean_row(cell, result) for cell, result in zip(cells, results[len(asked) :], strict=True)]
    return means, contrasts


def _row(result: Comparison, contrast: Mapping[str, Any], families: Mapping[str, Mapping[str, Any]]) -> Row:
    family = contrast["family"]
    return Row(result, contrast["tier"], family, families.get(family, {}).get("demands"))


def _same_kind(measure: str, measures: Sequence[str]) -> list[str]:
    """Return the measures that differ from one only in their token budget, by budget."""
    if not _BUDGETED.search(measure):
        return []
    kind = _BUDGETED.sub("", measure)
    same = [(int(found[1]), name) for name in measures if (found := _BUDGETED.search(name))]
    return [name for _, name in sorted(same) if _BUDGETED.sub("", name) == kind]


def _contrast_row(asked: _Asked, result: Comparison, judged: Judged) -> dict[str, Any]:
    contrast = asked.contrast
    return {
        "name": asked.name,
        "a": contrast["a"],
        "b": contrast["b"],
        "retriever": contrast["retriever"],
        **({"against": contrast["against"]} if "against" in contrast else {}),
        "measure": asked.measure,
        "test": result.test,
        "margin": result.margin,
        "family": contrast["family"],
        "tier": judged.tier,
        "questions": result.n,
        "clusters": result.n_clusters,
        "mean_a": result.mean_a,
        "mean_b": result.mean_b,
        "difference": result.difference,
        "ci90": _listed(result.ci90),
        "ci95": _listed(result.ci95),
        "interval": result.interval,
        "z0": result.z0,
        "acceleration": result.acceleration,
        "se": result.se,
        "p_sign_flip": result.p_sign_flip,
        "p_sign_flip_holm": judged.p_sign_flip,
        "p_bootstrap": result.p_bootstrap,
        "p_bootstrap_holm": judged.p_bootstrap,
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
        "ci90": _listed(result.ci90),
        "ci95": _listed(result.ci95),
        "direction": result.direction,
    }


def _mean_row(cell: tuple[str, str, str], result: Comparison) -> dict[str, Any]:
    arm, retriever, measure = cell
    ci95 = _listed(result.ci95)
    return {"arm": arm, "retriever": retriever, "measure": measure, "mean": result.difference, "ci95": ci95}


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    # Lists, as JSON gives them back: a row made again then equals the one that was read.
    return None if interval is None else list(interval)
