"""Intervals from bootstrap replicates: percentile, and bias-corrected and accelerated (BCa)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ragtrial.errors import StatisticsError
from ragtrial.statistics import normal
from ragtrial.statistics.clusters import Floats
from ragtrial.statistics.ratio import has_width

__all__ = ["Correction", "Interval", "IntervalKind", "bias", "check_kind", "interval", "intervals", "share_below"]

Interval = tuple[float, float]
IntervalKind = Literal["bca", "percentile"]


class Correction(NamedTuple):
    """What BCa corrects by: the bias ``z0`` and the ``acceleration``; zeros leave the percentile interval."""

    z0: float
    acceleration: float

    def level(self, z: float) -> float:
        """Return the share of replicates at which the limit of normal quantile ``z`` lies.

        Phi(z0 + (z0 + z) / (1 - a (z0 + z))); past the pole, which only clipped biases reach, the limit is 0 or 1.

        >>> Correction(0.0, 0.0).level(0.0)
        0.5
        """
        shifted = self.z0 + z
        stretch = 1.0 - self.acceleration * shifted
        if stretch <= 0.0:
            return 1.0 if shifted > 0.0 else 0.0
        return normal.cdf(self.z0 + shifted / stretch)

    def quantile(self, share: float) -> float:
        """Invert :meth:`level`: the normal quantile ``z`` whose limit lies at ``share`` of the replicates.

        w = Phi^-1(share) - z0, z = w / (1 + a w) - z0.

        >>> skewed = Correction(0.1, 0.02)
        >>> round(skewed.quantile(skewed.level(1.5)), 10)
        1.5
        """
        w = normal.quantile(share) - self.z0
        stretch = 1.0 + self.acceleration * w
        if stretch <= 0.0:
            return float("inf") if w > 0.0 else float("-inf")
        return w / stretch - self.z0


def check_kind(kind: str) -> None:
    """Refuse an interval of an unknown kind.

    >>> check_kind("bca")
    """
    if kind not in ("bca", "percentile"):
        raise StatisticsError(f"There is no interval {kind!r}.", hint="Known: 'bca', 'percentile'.")


def share_below(boot: Floats, value: float) -> float:
    """Return the share of replicates below ``value``, ties counted half, clipped to [1/(n+1), n/(n+1)].

    >>> share_below(np.array([0.0, 1.0, 1.0, 3.0]), 1.0), share_below(np.zeros(4), -1.0)
    (0.5, 0.2)
    """
    n = len(boot)
    share = (int(np.count_nonzero(boot < value)) + 0.5 * int(np.count_nonzero(boot == value))) / n
    return min(max(share, 1.0 / (n + 1)), n / (n + 1))


def bias(boot: Floats, point: float) -> float:
    """Return z0 of BCa: the normal quantile of the share of replicates below the point estimate.

    Source: METHODS section 6; Efron 1987.

    >>> bias(np.array([0.0, 1.0, 1.0, 3.0]), 1.0)
    0.0
    """
    return normal.quantile(share_below(boot, point))


def interval(boot: Floats, point: float, correction: Correction, confidence: float) -> Interval:
    """Return the limits of the interval at ``confidence`` from bootstrap replicates.

    Parameters
    ----------
    boot : float array of shape (resamples,)
    point : float
        The estimate; a bootstrap without width gives (point, point).
    correction : Correction
        ``Correction(0, 0)`` gives the percentile interval.
    confidence : float in (0, 1)

    Limits are linear quantiles of the replicates. Source: METHODS section 6; Efron 1987.

    >>> interval(np.arange(101.0), 50.0, Correction(0.0, 0.0), 0.9)
    (5.0, 95.0)
    """
    return intervals(boot, point, correction, (confidence,))[0]


def intervals(boot: Floats, point: float, correction: Correction, confidences: Sequence[float]) -> tuple[Interval, ...]:
    """Return the limits at several confidences, which costs what one does; see :func:`interval`.

    >>> intervals(np.arange(101.0), 50.0, Correction(0.0, 0.0), (0.9, 0.5))
    ((5.0, 95.0), (25.0, 75.0))
    """
    if wrong := [confidence for confidence in confidences if not 0.0 < confidence < 1.0]:
        raise StatisticsError(f"A confidence of {wrong[0]} is not between 0 and 1.", hint="Use 0.95 for 95%.")
    if not has_width(boot):
        return ((point, point),) * len(confidences)
    levels = [level for confidence in confidences for level in _levels(correction, confidence)]
    limits = np.quantile(boot, levels).tolist()
    return tuple(zip(limits[::2], limits[1::2], strict=True))


def _levels(correction: Correction, confidence: float) -> tuple[float, float]:
    """Return the shares of the replicates at which the two limits lie."""
    if correction == (0.0, 0.0):
        tail = round((1.0 - confidence) / 2.0, 12)  # 0.05 and not 0.04999999999999999
        return tail, 1.0 - tail
    z = normal.quantile(0.5 + confidence / 2.0)
    return correction.level(-z), correction.level(z)
