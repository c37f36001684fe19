"""Two groups of questions: how much the mean of one lies above that of the other, such as a gain in two thirds.

Groups are not paired, but they share clusters: a paper may have questions in both. So whole clusters are drawn, and
both means are taken of the same draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragtrial.errors import StatisticsError
from ragtrial.statistics.bootstrap import check_resamples, draws
from ragtrial.statistics.clusters import MIN_CLUSTERS, Clusters, Floats, Labels, group, scores
from ragtrial.statistics.intervals import Correction, Interval, IntervalKind, bias, check_kind, interval
from ragtrial.statistics.ratio import acceleration_of

__all__ = ["GroupDifference", "compare_groups"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """The mean of a first group of questions minus that of a second.

    Attributes
    ----------
    difference : float
    ci95 : (low, high), None where a group lies in fewer than three clusters
    n_first, n_second : int, questions
    """

    difference: float
    ci95: Interval | None
    n_first: int
    n_second: int


def compare_groups(
    values: Sequence[ArrayLike],
    first: ArrayLike,
    second: ArrayLike,
    clusters: Labels,
    *,
    strata: Labels | None = None,
    interval: IntervalKind = "bca",
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[GroupDifference, ...]:
    """Compare two groups of questions in several values at once, as a rule paired differences of two arms.

    Parameters
    ----------
    values : sequence of float arrays of shape (questions,)
    first, second : bool arrays of shape (questions,)
        Which questions are in each group; a question may be in none, and in no more than one.
    clusters, strata, interval, resamples, seed
        As in :func:`ragtrial.statistics.compare.compare`; clusters without a question of either group are not drawn.

    Returns
    -------
    tuple of GroupDifference, one for each of ``values``

    Raises
    ------
    StatisticsError
        A group is empty, the groups overlap, or lengths differ.

    A resample in which a group has no question says nothing and is left out.

    Source: Mangla 2026, appendix D (bridged minus others, terciles of overlap and targeting).

    >>> gain = [0.5, 0.5, 0.0, 0.1, 0.4, 0.0]
    >>> bridged = np.array([True, True, False, False, True, False])
    >>> (row,) = compare_groups([gain], bridged, ~bridged, ["p1", "p2", "p1", "p2", "p3", "p3"], resamples=200)
    >>> round(row.difference, 3), row.n_first, row.n_second
    (0.433, 3, 3)
    """
    check_kind(interval)
    check_resamples(resamples)
    one, two = _checked(first, second, len(clusters))
    chosen = np.flatnonzero(one | two)
    one, two = one[chosen], two[chosen]
    columns = [scores(own, "the values") for own in values]
    if wrong := next((len(own) for own in columns if len(own) != len(clusters)), None):
        raise StatisticsError(f"There are {wrong} values for {len(clusters)} questions.")
    grouped = group(_take(clusters, chosen), None if strata is None else _take(strata, chosen))
    counts = np.array([grouped.sums(one.astype(np.float64)), grouped.sums(two.astype(np.float64))])
    sums = np.array([[grouped.sums(own[chosen] * one), grouped.sums(own[chosen] * two)] for own in columns]).reshape(
        len(columns), 2, grouped.n_clusters
    )
    enough = bool(((counts > 0).sum(axis=1) >= MIN_CLUSTERS).all())
    boot = _replicates(grouped, sums, counts, resamples, seed) if enough else None
    return tuple(
        GroupDifference(
            difference=_difference(own.sum(axis=-1), counts.sum(axis=-1)),
            ci95=None if boot is None else _interval(boot[place], own, counts, interval),
            n_first=int(one.sum()),
            n_second=int(two.sum()),
        )
        for place, own in enumerate(sums)
    )


def _checked(first: ArrayLike, second: ArrayLike, n: int) -> tuple[Bools, Bools]:
    one, two = np.asarray(first, dtype=np.bool_), np.asarray(second, dtype=np.bool_)
    if not one.shape == two.shape == (n,):
        raise StatisticsError(f"Groups of the shapes {one.shape} and {two.shape} do not fit {n} questions.")
    if not (one.any() and two.any()):
        raise StatisticsError("A group has no questions, so nothing can be compared.", hint="Leave the row out.")
    if (one & two).any():
        raise StatisticsError(f"Question {int((one & two).argmax())} (counted from 0) is in both groups.")
    return one, two


def _take(labels: Labels, places: NDArray[np.int64]) -> Labels:
    return labels[places] if isinstance(labels, np.ndarray) else [labels[place] for place in places.tolist()]


def _difference(sums: Floats, counts: Floats) -> float:
    return float(sums[0] / counts[0] - sums[1] / counts[1])


def _replicates(grouped: Clusters, sums: Floats, counts: Floats, resamples: int, seed: int) -> Floats:
    """Return for each value the differences in those resamples that have questions of both groups."""
    table = np.vstack([counts, *sums])
    boot = np.empty((len(sums), resamples))
    known = np.empty(resamples, dtype=np.bool_)
    for rows, _, held in draws(grouped, resamples, seed):
        totals = table @ held.T
        known[rows] = (totals[:2] > 0).all(axis=0)
        means = totals[2:].reshape(len(sums), 2, -1) / np.maximum(totals[:2], 1.0)
        boot[:, rows] = means[:, 0] - means[:, 1]
    return boot[:, known]


def _interval(boot: Floats, sums: Floats, counts: Floats, kind: IntervalKind) -> Interval:
    point = _difference(sums.sum(axis=-1), counts.sum(axis=-1))
    if kind == "percentile":
        return interval(boot, point, Correction(0.0, 0.0), 0.95)
    left = (sums.sum(axis=-1, keepdims=True) - sums) / (counts.sum(axis=-1, keepdims=True) - counts)
    return interval(boot, point, Correction(bias(boot, point), acceleration_of(left[0] - left[1])), 0.95)
