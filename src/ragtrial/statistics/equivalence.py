"""Two one-sided tests: is the difference inside a margin, and is A at most a margin worse than B.

Lakens 2017, Social Psychological and Personality Science 8(4); METHODS section 6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics import normal
from ragtrial.statistics.clusters import Floats, Labels, group, scores
from ragtrial.statistics.intervals import Correction, share_below
from ragtrial.statistics.optional import require
from ragtrial.statistics.ratio import ratio_mean, standard_error

__all__ = ["OneSided", "check_margin", "tost_by_inversion", "tost_t"]


class OneSided(NamedTuple):
    """The two one-sided p-values at a margin.

    ``above`` is the p-value of "the difference is at most -margin": small when A is not worse than B by the
    margin, so it is the p-value of non-inferiority. ``below`` is that of "at least +margin".
    """

    above: float
    below: float

    @property
    def p(self) -> float:
        """The p-value of TOST, the larger of the two: small when the difference lies inside the margin."""
        return max(self.above, self.below)


def check_margin(margin: float) -> float:
    """Refuse a margin that is not a positive number.

    >>> check_margin(0.05)
    0.05
    """
    if not (math.isfinite(margin) and margin > 0.0):
        raise StatisticsError(
            f"A margin of {margin} is not a positive number.",
            hint="Give the largest difference that would not matter, in the unit of the scores (0.05 for 5 points).",
        )
    return margin


def tost_by_inversion(boot: Floats, correction: Correction, margin: float) -> OneSided:
    """Invert the bootstrap interval at -margin and +margin.

    q(v) = share of replicates below v (half of the ties, clipped), w = Phi^-1(q) - z0,
    z = w / (1 + a w) - z0; p(-margin) = Phi(z), p(+margin) = 1 - Phi(z). TOST p < 0.05 says the
    same as "the 90% interval of the same kind lies inside the margin". Source: METHODS section 6.

    >>> import numpy as np
    >>> boot = np.linspace(-0.02, 0.03, 1001)
    >>> tost_by_inversion(boot, Correction(0.0, 0.0), 0.05).p < 0.05
    True
    >>> tost_by_inversion(boot, Correction(0.0, 0.0), 0.01).p < 0.05
    False
    """
    check_margin(margin)
    lower, upper = (correction.quantile(share_below(boot, value)) for value in (-margin, margin))
    return OneSided(normal.cdf(lower), normal.cdf(-upper))


def tost_t(values: ArrayLike, clusters: Labels, margin: float) -> OneSided:
    """Test both sides of the margin with t statistics; needs scipy and two clusters.

    t = (mean -+ margin) / se with the cluster-robust standard error of the ratio mean and C - 1
    degrees of freedom. Without any spread p is 0 inside the margin and 1 elsewhere.

    Parameters
    ----------
    values : float array of shape (questions,), the paired differences A - B
    clusters : one label a question
    margin : float in the unit of the values

    Raises
    ------
    StatisticsError
        Fewer than two clusters, or a margin that is not positive.
    MissingExtraError
        scipy is not installed.

    >>> test = tost_t([0.01, -0.02, 0.0, 0.03, -0.01], ["p1", "p2", "p3", "p4", "p5"], 0.05)
    >>> round(test.above, 4), round(test.below, 4), round(test.p, 4)
    (0.0019, 0.0025, 0.0025)
    """
    check_margin(margin)
    grouped = group(clusters)
    if grouped.n_clusters < 2:
        raise StatisticsError("A t test needs at least two clusters and there is one.", hint="Use more documents.")
    sums = grouped.sums(scores(values, "the values"))
    mean, se = ratio_mean(sums, grouped.counts), standard_error(sums, grouped.counts)
    if se == 0.0:
        return OneSided(float(mean <= -margin), float(mean >= margin))
    t = require("scipy.stats", "The t version of TOST").t
    freedom = grouped.n_clusters - 1
    return OneSided(float(t.sf((mean + margin) / se, freedom)), float(t.cdf((mean - margin) / se, freedom)))
