"""Dose-response: how a score changes with the dose, such as the depth of a heading path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics.clusters import Floats, Labels
from ragtrial.statistics.compare import compare
from ragtrial.statistics.intervals import Interval, IntervalKind

__all__ = ["DoseResponse", "dose_response", "question_slopes"]


@dataclass(frozen=True, slots=True)
class DoseResponse:
    """The mean slope over questions, per unit of dose.

    Attributes
    ----------
    slope : float
    ci90, ci95 : (low, high), None under three clusters
    p_bootstrap : float or None
        2 min(P(<= 0), P(>= 0)) over the replicates.
    means : tuple of floats, the mean score at each dose: a plateau shows here and not in the slope
    n, n_clusters : int
    notes : tuple of sentences
    """

    slope: float
    ci90: Interval | None
    ci95: Interval | None
    p_bootstrap: float | None
    means: tuple[float, ...]
    n: int
    n_clusters: int
    notes: tuple[str, ...]


def question_slopes(scores: ArrayLike, doses: ArrayLike) -> Floats:
    """Return each question's least-squares slope of score on dose.

    slope = sum (x - mean x) y / sum (x - mean x)^2.

    Parameters
    ----------
    scores : float array of shape (doses, questions)
    doses : float array of shape (doses,), at least two different values

    >>> question_slopes([[0.0, 0.5], [0.1, 0.5], [0.2, 0.5]], [0, 1, 2]).round(12).tolist()
    [0.1, 0.0]
    """
    y, x = np.asarray(scores, dtype=np.float64), np.asarray(doses, dtype=np.float64)
    if y.ndim != 2 or x.shape != (len(y),):
        raise StatisticsError(
            f"The scores have shape {y.shape} for {x.size} doses.",
            hint="Give one row of per-question scores for each dose.",
        )
    centred = x - x.mean()
    spread = float(centred @ centred)
    if not (np.all(np.isfinite(x)) and spread > 0.0):
        raise StatisticsError("A slope needs at least two different doses.", hint="Score more than one dose.")
    return np.asarray((centred / spread) @ y)


def dose_response(
    scores: ArrayLike,
    doses: ArrayLike,
    clusters: Labels,
    *,
    strata: Labels | None = None,
    interval: IntervalKind = "percentile",
    resamples: int = 10_000,
    seed: int = 0,
) -> DoseResponse:
    """Estimate the slope of the score on the dose, with a cluster bootstrap over questions' own slopes.

    Every question is scored at every dose, so the mean of the questions' slopes is the slope of the
    pooled regression. Parameters are those of :func:`question_slopes` and
    :func:`ragtrial.statistics.compare.compare`.

    Raises StatisticsError for scores that are not finite or do not fit the doses and clusters.

    Source: Kuehlkamp et al. 2026, section 6 (slope on path depth 0 to 3); METHODS section 6.

    >>> flat = [0.4, 0.5, 0.6, 0.5]
    >>> rising = [[y + 0.01 * depth * (i + 1) for i, y in enumerate(flat)] for depth in range(4)]
    >>> result = dose_response(rising, [0, 1, 2, 3], ["p1", "p2", "p3", "p4"])
    >>> round(result.slope, 6), result.p_bootstrap
    (0.025, 0.0)
    """
    slopes = question_slopes(scores, doses)
    row = compare(
        slopes, np.zeros_like(slopes), clusters, strata=strata, interval=interval, resamples=resamples, seed=seed
    )
    means = tuple(float(mean) for mean in np.asarray(scores, dtype=np.float64).mean(axis=1))
    return DoseResponse(row.difference, row.ci90, row.ci95, row.p_bootstrap, means, row.n, row.n_clusters, row.notes)
