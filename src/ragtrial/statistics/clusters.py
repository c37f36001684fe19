"""Questions grouped into clusters, and the checks that every array of scores passes first.

A cluster is what was sampled: a document, when several questions come from one;
the question itself otherwise. Clusters are numbered by first appearance, strata
are taken in sorted order (METHODS section 6).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragtrial.errors import StatisticsError

__all__ = [
    "FEW_CLUSTERS",
    "MIN_CLUSTERS",
    "Clusters",
    "Floats",
    "Ints",
    "Labels",
    "differences",
    "group",
    "plain",
    "scores",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Labels = Sequence[Hashable] | NDArray[Any]

MIN_CLUSTERS = 3
"""Under this many clusters no interval is given: the jackknife has no spread to measure."""

FEW_CLUSTERS = 20
"""Under this many clusters intervals are too narrow: ``benchmarks/calibration.py`` shows by how much."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which questions belong together.

    Attributes
    ----------
    codes : int array of shape (questions,)
        The cluster of each question; clusters are numbered by first appearance.
    counts : float array of shape (clusters,)
        The number of questions of each cluster, at least 1.
    strata : tuple of int arrays
        The clusters of each stratum, strata in sorted order; one array of all clusters where there are no strata.
    """

    codes: Ints
    counts: Floats
    strata: tuple[Ints, ...]

    @property
    def n(self) -> int:
        """The number of questions."""
        return len(self.codes)

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.counts)

    def sums(self, values: Floats) -> Floats:
        """Add up the values of each cluster, in the order of the questions.

        ``values`` has shape (questions,) or (contrasts, questions); the result (clusters,) or (contrasts, clusters).
        """
        if values.shape[-1] != self.n:
            raise StatisticsError(
                f"There are {values.shape[-1]} values for {self.n} clustered questions.",
                hint="Give one value and one cluster label for each question.",
            )
        if values.ndim == 1:
            return np.asarray(np.bincount(self.codes, weights=values, minlength=self.n_clusters), dtype=np.float64)
        return np.array([self.sums(row) for row in values]).reshape(len(values), self.n_clusters)


def group(clusters: Labels, strata: Labels | None = None) -> Clusters:
    """Group questions by the label of their cluster.

    Parameters
    ----------
    clusters : sequence of hashable labels, one for each question
    strata : sequence of sortable labels, one for each question, optional
        All questions of one cluster must lie in one stratum.

    Raises
    ------
    StatisticsError
        No questions, labels that are missing, unequal lengths, a cluster in two strata.

    >>> papers = group(["p1", "p1", "p2", "p1"])
    >>> papers.counts.tolist(), papers.sums(np.array([1.0, 0.0, 0.5, 1.0])).tolist()
    ([3.0, 1.0], [2.0, 0.5])
    """
    labels = _labels(clusters, "cluster")
    if not labels:
        raise StatisticsError("There are no questions to compare.", hint="Give at least one question in one cluster.")
    number: dict[Hashable, int] = {}
    codes = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
    counts = np.bincount(codes).astype(np.float64)
    if strata is None:
        return Clusters(codes, counts, (np.arange(len(counts), dtype=np.int64),))
    return Clusters(codes, counts, _strata(codes, _labels(strata, "stratum"), list(number)))


def plain(labels: Labels) -> list[Hashable]:
    """Return labels as a list of plain Python values.

    >>> plain(np.array(["p1", "p2"]))
    ['p1', 'p2']
    """
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def _labels(given: Labels, what: str) -> list[Hashable]:
    labels = plain(given)
    for place, label in enumerate(labels):
        if label is None or label != label:  # noqa: PLR0124 - only NaN differs from itself
            raise StatisticsError(
                f"Question {place} (counted from 0) has no {what}: its label is {label}.",
                hint=f"Give every question a {what} label.",
            )
    return labels


def _strata(codes: Ints, labels: list[Hashable], names: list[Hashable]) -> tuple[Ints, ...]:
    if len(labels) != len(codes):
        raise StatisticsError(
            f"There are {len(codes)} cluster labels and {len(labels)} stratum labels.",
            hint="Give one of each for each question.",
        )
    stratum_of: dict[int, Hashable] = {}
    for code, label in zip(codes.tolist(), labels, strict=True):
        if stratum_of.setdefault(code, label) != label:
            raise StatisticsError(
                f"Cluster {names[code]!r} lies in two strata, {stratum_of[code]!r} and {label!r}.",
                hint="Strata are made of whole clusters: correct the labels or use finer clusters.",
            )
    members: dict[Any, list[int]] = {}
    for code, label in stratum_of.items():
        members.setdefault(label, []).append(code)
    return tuple(np.array(members[label], dtype=np.int64) for label in _in_order(members))


def _in_order(labels: Iterable[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError as fault:
        raise StatisticsError(
            "The stratum labels cannot be sorted, so the random draws would have no fixed order.",
            hint="Use labels of one kind, such as strings.",
        ) from fault


def scores(values: ArrayLike, name: str) -> Floats:
    """Read one score for each question as an array of floats, all finite.

    Raises StatisticsError for anything but one finite number a question; NaN is never skipped.

    >>> scores([1, 0.5], "A").tolist()
    [1.0, 0.5]
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise StatisticsError(f"The scores of {name} are not numbers.", hint="Give one number a question.") from fault
    if array.ndim != 1:
        raise StatisticsError(f"The scores of {name} have shape {array.shape}.", hint="Give one number a question.")
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise StatisticsError(
            f"Question {bad[0]} (counted from 0) has no finite score under {name}: {array[bad[0]]}; "
            f"{len(bad)} of {len(array)} scores are like this.",
            hint="Compare the questions answered under both arms only, and count those that were left out.",
        )
    return array


def differences(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the paired differences A - B, one a question.

    >>> differences([1.0, 0.5], [0.5, 0.5]).tolist()
    [0.5, 0.0]
    """
    first, second = scores(a, "A"), scores(b, "B")
    if len(first) != len(second):
        raise StatisticsError(
            f"A has {len(first)} scores and B has {len(second)}.",
            hint="Pairs need the same questions in the same order under both arms.",
        )
    return first - second
