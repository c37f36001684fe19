"""The standard normal distribution, from the standard library alone."""

from __future__ import annotations

import math
from statistics import NormalDist

__all__ = ["cdf", "quantile"]

_STANDARD = NormalDist()


def cdf(z: float) -> float:
    """Return the share of the standard normal distribution below ``z``; infinities give 0 and 1.

    By the complementary error function, so that small tails keep their digits.

    >>> round(cdf(1.959963984540054), 12), cdf(float("-inf"))
    (0.975, 0.0)
    """
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def quantile(share: float) -> float:
    """Return the ``z`` below which ``share`` of the standard normal distribution lies, 0 < share < 1.

    >>> round(quantile(0.975), 12)
    1.95996398454
    """
    return _STANDARD.inv_cdf(share)
