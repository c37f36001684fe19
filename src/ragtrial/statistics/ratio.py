"""The estimator: the mean over questions, written as a ratio of cluster sums to cluster counts.

mean = sum(s) / sum(n), where cluster c has n_c questions whose values add up to s_c.
"""

from __future__ import annotations

import math

import numpy as np

from ragtrial.statistics.clusters import MIN_CLUSTERS, Floats

__all__ = ["acceleration", "acceleration_of", "has_width", "jackknife", "ratio_mean", "standard_error"]


def ratio_mean(sums: Floats, counts: Floats) -> float:
    """Return the unweighted mean over questions.

    >>> ratio_mean(np.array([2.0, 0.5]), np.array([3.0, 1.0]))
    0.625
    """
    return float(sums.sum() / counts.sum())


def standard_error(sums: Floats, counts: Floats) -> float:
    """Return the cluster-robust standard error of the mean over questions; needs two clusters.

    se^2 = C / (C - 1) * sum (s_c - mean n_c)^2 / (sum n_c)^2, the linearisation of a ratio
    (Cochran 1977, Sampling Techniques, section 6.3). With one question a cluster it is sd / sqrt(n).

    >>> round(standard_error(np.array([1.0, 0.0, 0.5]), np.ones(3)), 6) == round(0.5 / 3**0.5, 6)
    True
    """
    clusters = len(sums)
    residuals = sums - ratio_mean(sums, counts) * counts
    return math.sqrt(clusters / (clusters - 1) * float(residuals @ residuals)) / float(counts.sum())


def jackknife(sums: Floats, counts: Floats) -> Floats:
    """Return the mean over questions with each cluster left out in turn; needs two clusters.

    >>> jackknife(np.array([1.0, 0.0, 0.5]), np.ones(3)).tolist()
    [0.25, 0.75, 0.5]
    """
    return np.asarray((sums.sum() - sums) / (counts.sum() - counts))


def acceleration(sums: Floats, counts: Floats) -> float:
    """Return the acceleration of BCa from the leave-one-cluster-out jackknife.

    a = sum d^3 / (6 (sum d^2)^1.5), d = mean(jackknife) - jackknife; strata are ignored; 0 under
    three clusters or without variance. Source: METHODS section 6; Efron 1987, J. Am. Stat. Assoc. 82.

    >>> round(acceleration(np.array([0.0, 0.0, 0.0, 1.0]), np.ones(4)), 6)
    0.096225
    """
    if len(sums) < MIN_CLUSTERS:
        return 0.0
    return acceleration_of(jackknife(sums, counts))


def acceleration_of(left_out: Floats) -> float:
    """Return the acceleration of BCa from the estimates with each cluster left out in turn; see :func:`acceleration`.

    >>> acceleration_of(np.array([0.5, 0.5, 0.5]))
    0.0
    """
    if not has_width(left_out):
        return 0.0
    d = left_out.mean() - left_out
    return float((d * d * d).sum() / (6.0 * (d * d).sum() ** 1.5))


def has_width(values: Floats) -> bool:
    """Tell whether values differ by more than rounding.

    >>> has_width(np.array([0.1 + 0.2, 0.3])), has_width(np.array([0.3, 0.31]))
    (False, True)
    """
    low, high = float(values.min()), float(values.max())
    return high - low > 1e-12 * max(abs(low), abs(high))
