"""The exploratory analyses of METHODS section 6: features and scores to descriptions, which no plan covers.

Made from the record's own tables alone, so that `ragtrial.trial.verify` can make them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ragtrial.measures.names import parse_measure
from ragtrial.statistics.compare import Comparison, Paired, compare_many
from ragtrial.trial.exploratory.features import Feature
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["EVIDENCE", "TERCILES", "explore"]

TERCILES = ("low", "middle", "high")

EVIDENCE = {"more": 1, "as much": 0, "less": -1}
"""How much evidence A found beside B, and the sign of the difference."""

Values: TypeAlias = dict[str, float]
"""A feature by question, without those that have none."""


def explore(
    effective: Mapping[str, Any],
    features: Iterable[Feature],
    counts: Mapping[tuple[str, str], Mapping[str, int]],
    scores: Scores,
) -> dict[str, Any]:
    """Return the analyses by name; one whose inputs do not exist is empty.

    Parameters
    ----------
    effective : mapping
        The effective parameters as a record holds them.
    features : iterable of Feature
    counts : mapping
        `ragtrial.trial.exploratory.found.found_counts`.
    scores : Scores

    Returns
    -------
    dict
        ``overlap``: each contrast in each third of the questions by lexical overlap with their evidence.
        ``split``: for each arm the mean share of evidence that no chunk holds whole. ``bridging``: for each arm the
        bridged questions, and its contrasts on those and on the others. ``targeting``: the mean for each arm.
        ``answers``: each contrast in each measure of answers, where A found more of the evidence than B, less, as much.
    """
    scored = set(scores.questions)
    by_feature: dict[str, dict[str | None, Values]] = {}
    for row in features:
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
        "answers": list(_answers(cut, counts)),
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


def _answers(cut: _Cuts, counts: Mapping[tuple[str, str], Mapping[str, int]]) -> Iterator[dict[str, Any]]:
    """Yield how answers change where the evidence that was found changes."""
    for measure in cut.answer_measures:
        for name in cut.names:
            a, b = (counts.get(cell, {}) for cell in cut.cells_of(name))
            for side, sign in EVIDENCE.items():
                own = [q for q in cut.questions if q in a and q in b and (a[q] > b[q]) - (a[q] < b[q]) == sign]
                for row in cut.contrasts(own, [name], measure):
                    yield row | {"measure": measure, "evidence": side}


class _Cuts:
    """Comparisons on some of the questions."""

    def __init__(self, effective: Mapping[str, Any], scores: Scores) -> None:
        self._contrasts = effective["contrasts"]
        self._settings = {key: effective[key] for key in ("interval", "resamples", "seed")}
        self._scores = scores
        self._place = {question: number for number, question in enumerate(scores.questions)}
        self.names = list(self._contrasts)
        self.questions = list(scores.questions)
        self.answer_measures = [name for name in scores.measures if parse_measure(name).needs_answers]

    def arms_of(self, name: str) -> tuple[str, str]:
        """Return A and B of a contrast."""
        return self._contrasts[name]["a"], self._contrasts[name]["b"]

    def cells_of(self, name: str) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the conditions of a contrast's A and B."""
        return sides(self._contrasts[name])

    def contrasts(
        self, questions: Sequence[str], names: Sequence[str], measure: str | None = None
    ) -> list[dict[str, Any]]:
        """Return contrasts on some questions, in their own measure unless told: differences with 95% intervals."""
        if not questions or not names:
            return []
        places = np.array([self._place[question] for question in questions], dtype=np.int64)
        clusters, strata = self._labels(places)
        pairs = []
        for name in names:
            row = self._contrasts[name]
            a, b = (self._scores.of(*cell, measure or row["measure"])[places] for cell in sides(row))
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
