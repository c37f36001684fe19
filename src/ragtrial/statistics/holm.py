"""Holm's step-down adjustment, over one list of p-values or inside named families."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics.clusters import Floats

__all__ = ["holm", "holm_by_family"]


def holm(p: ArrayLike) -> Floats:
    """Return Holm-adjusted p-values, in the given order.

    The i-th smallest of m (from 0) is multiplied by m - i; a running maximum keeps the order; at most 1.

    Parameters
    ----------
    p : float array of shape (tests,), each in [0, 1]

    Raises
    ------
    StatisticsError
        A p-value outside [0, 1] or NaN: a test that gave none counts as 1, it does not leave its family.

    Source: Holm 1979, Scandinavian Journal of Statistics 6(2).

    >>> holm([0.01, 0.04, 0.03, 0.005]).round(10).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    raw = np.asarray(p, dtype=np.float64)
    if raw.ndim != 1 or not np.all((raw >= 0.0) & (raw <= 1.0)):
        raise StatisticsError(
            "Holm's adjustment needs a flat list of p-values between 0 and 1.",
            hint="Count a planned test without a result as p = 1.",
        )
    order = np.argsort(raw, kind="stable")
    steps = raw[order] * np.arange(len(raw), 0, -1)
    adjusted = np.empty_like(raw)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def holm_by_family(p: ArrayLike, families: Sequence[Hashable]) -> Floats:
    """Adjust inside each named family and return the p-values in the given order.

    >>> holm_by_family([0.01, 0.04, 0.03], ["H1", "H1", "H3"]).tolist()
    [0.02, 0.04, 0.03]
    """
    raw = np.asarray(p, dtype=np.float64)
    if raw.shape != (len(families),):
        raise StatisticsError(
            f"There are {raw.size} p-values and {len(families)} family names.", hint="Name one family for each test."
        )
    adjusted = np.empty_like(raw)
    for family in dict.fromkeys(families):
        places = [place for place, name in enumerate(families) if name == family]
        adjusted[places] = holm(raw[places])
    return adjusted
