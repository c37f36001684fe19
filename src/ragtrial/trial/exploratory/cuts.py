"""Contrasts on some of the questions, and between two groups of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.measures.names import parse_measure
from ragtrial.statistics.compare import Comparison, Paired, compare_many
from ragtrial.statistics.groups import compare_groups
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["Cuts", "Values"]

Values: TypeAlias = dict[str, float]
"""A feature by question, without those that have none."""

_Floats: TypeAlias = npt.NDArray[np.float64]
_Places: TypeAlias = npt.NDArray[np.int64]


class Cuts:
    """A trial's contrasts on parts of its questions, in the contrast's own measure and under its own retrievers."""

    def __init__(self, effective: Mapping[str, Any], scores: Scores) -> None:
        self._contrasts = effective["contrasts"]
        self._settings = {key: effective[key] for key in ("interval", "resamples", "seed")}
        self._scores = scores
        self._place = {question: number for number, question in enumerate(scores.questions)}
        self.names = list(self._contrasts)
        self.questions = list(scores.questions)
        self.answer_measures = [name for name in scores.measures if parse_measure(name).needs_answers]

    def with_arm(self, arm: str) -> list[str]:
        """Return the contrasts that an arm takes part in."""
        return [name for name in self.names if arm in (self._contrasts[name]["a"], self._contrasts[name]["b"])]

    def cells_of(self, name: str) -> tuple[tuple[str, str], tuple[str, str]]:
        """Return the conditions of a contrast's A and B."""
        return sides(self._contrasts[name])

    def contrasts(
        self, questions: Sequence[str], names: Sequence[str], measure: str | None = None
    ) -> list[dict[str, Any]]:
        """Return contrasts on some questions, in their own measure unless told: differences with 95% intervals."""
        if not questions or not names:
            return []
        places = self._places(questions)
        clusters, strata = self._labels(places)
        pairs = [Paired(*self._sides(name, places, measure), clusters, strata) for name in names]
        results = compare_many(pairs, **self._settings)
        return [{"contrast": name} | _described(result) for name, result in zip(names, results, strict=True)]

    def between(self, first: Sequence[str], second: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
        """Return by how much contrasts are larger on the first questions than on the second, with 95% intervals."""
        if not first or not second or not names:
            return []
        places = self._places([*first, *second])
        in_first = np.arange(len(places)) < len(first)
        clusters, strata = self._labels(places)
        gains = [np.subtract(*self._sides(name, places)) for name in names]
        rows = compare_groups(gains, in_first, ~in_first, clusters, strata=strata, **self._settings)
        return [
            {"contrast": name, "difference": row.difference, "ci95": None if row.ci95 is None else list(row.ci95)}
            for name, row in zip(names, rows, strict=True)
        ]

    def mean(self, values: Values) -> dict[str, Any]:
        """Return the mean of a feature with its 95% interval."""
        own = np.array(list(values.values()))
        pair = Paired(own, np.zeros(len(own)), *self._labels(self._places(list(values))))
        (result,) = compare_many([pair], **self._settings)
        described = _described(result)
        return {"mean": described.pop("difference")} | described

    def _sides(self, name: str, places: _Places, measure: str | None = None) -> tuple[_Floats, _Floats]:
        row = self._contrasts[name]
        a, b = (self._scores.of(*cell, measure or row["measure"])[places] for cell in sides(row))
        return a, b

    def _places(self, questions: Sequence[str]) -> _Places:
        return np.array([self._place[question] for question in questions], dtype=np.int64)

    def _labels(self, places: _Places) -> tuple[list[str], list[str] | None]:
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
