"""The exploratory analyses of METHODS section 6: features and scores to descriptions, which no plan covers.

Made from the record's own tables alone, so that `ragtrial.trial.verify` can make them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ragtrial.statistics.compare import Comparison, Paired, compare_many
from ragtrial.trial.exploratory.features import Feature
from ragtrial.trial.scores import Scores

__all__ = ["TERCILES", "explore"]

TERCILES = ("low", "middle", "high")

Values: TypeAlias = dict[str, float]
"""A feature by question, without those that have none."""


def explore(effective: Mapping[str, Any], found: Iterable[Feature], scores: Scores) -> dict[str, Any]:
    """Return the analyses by name; one whose inputs do not exist is empty.

    Returns
    -------
    dict
        ``overlap``: each contrast in each third of the questions by lexical overlap with their evidence.
        ``split``: for each arm the mean share of evidence that no chunk holds whole. ``bridging``: for each arm the
        bridged questions, and its contrasts on those and on the others. ``targeting``: the mean for each arm.
    """
    scored = set(scores.questions)
    by_feature: dict[str, dict[str | None, Values]] = {}
    for row in found:
        arms = by_feature.setdefault(row.feature, {}).setdefault(row.arm, {})
        if row.value is not None and row.question in scored:
            arms[row.question] = row.value
    overlap = by_feature.get("overlap", {}).get(None, {})
    cut = _Cuts(effective, scores)
    return {
        "overlap": _terciles(overlap, cut),
        "split": [cut.mean(arm, values) for arm, values in by_feature.get("split", {}).items() if values],
        "bridging": [_bridging(str(a), values, cut) for a, values in by_feature.get("bridged", {}).items() if values],
        "targeting": [cut.mean(arm, values) for arm, values in by_feature.get("targeting", {}).items() if values],
    }


def _terciles(overlap: Values, cut: _Cuts) -> list[dict[str, Any]]:
    if len(overlap) < len(TERCILES):
        return []
    values = np.array(list(overlap.values()))
    third = np.searchsorted(np.quantile(values, [1 / 3, 2 / 3]), values, side="left")
    groups = [[q for q, own in zip(overlap, third.tolist(), strict=True) if own == number] for number in range(3)]
    return [
        {
            "third": name,
            "questions": len(group),
            "low": min(overlap[question] for question in group),
            "high": max(overlap[question] for question in group),
            "contrasts": cut.contrasts(group, cut.names),
        }
        for name, group in zip(TERCILES, groups, strict=True)
        if group
    ]


def _bridging(arm: str, bridged: Values, cut: _Cuts) -> dict[str, Any]:
    names = [name for name in cut.names if arm in cut.arms_of(name)]
    yes, no = ([q for q, value in bridged.items() if bool(value) is wanted] for wanted in (True, False))
    return {
        "arm": arm,
        "questions": len(bridged),
        "bridged": len(yes),
        "on_bridged": cut.contrasts(yes, names),
        "on_others": cut.contrasts(no, names),
    }


class _Cuts:
    """Comparisons on some of the questions."""

    def __init__(self, effective: Mapping[str, Any], scores: Scores) -> None:
        self._contrasts = effective["contrasts"]
        self._settings = {key: effective[key] for key in ("interval", "resamples", "seed")}
        self._scores = scores
        self._place = {question: number for number, question in enumerate(scores.questions)}
        self.names = list(self._contrasts)

    def arms_of(self, name: str) -> tuple[str, str]:
        """Return A and B of a contrast."""
        return self._contrasts[name]["a"], self._contrasts[name]["b"]

    def contrasts(self, questions: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
        """Return contrasts on some questions: the paired difference with its 95% interval."""
        if not questions or not names:
            return []
        places = np.array([self._place[question] for question in questions], dtype=np.int64)
        clusters, strata = self._labels(places)
        pairs = []
        for name in names:
            row = self._contrasts[name]
            a, b = (self._scores.of(row[side], row["retriever"], row["measure"])[places] for side in ("a", "b"))
            pairs.append(Paired(a, b, clusters, strata))
        results = compare_many(pairs, **self._settings)
        return [{"contrast": name} | _described(result) for name, result in zip(names, results, strict=True)]

    def mean(self, arm: str | None, values: Values) -> dict[str, Any]:
        """Return the mean of a feature with its 95% interval."""
        places = np.array([self._place[question] for question in values], dtype=np.int64)
        own = np.array(list(values.values()))
        (result,) = compare_many([Paired(own, np.zeros(len(own)), *self._labels(places))], **self._settings)
        described = _described(result)
        return {"arm": arm, "mean": described.pop("difference")} | described

    def _labels(self, places: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[list[str], list[str] | None]:
        scores, chosen = self._scores, places.tolist()
        strata = None if scores.strata is None else [scores.strata[place] for place in chosen]
        return [scores.clusters[place] for place in chosen], strata


def _described(result: Comparison) -> dict[str, Any]:
    return {
        "difference": result.difference,
        "ci95": None if result.ci95 is None else list(result.ci95),
        "questions": result.n,
        "clusters": result.n_clusters,
    }
