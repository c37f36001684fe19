"""The best k of many scores, exactly as a stable sort of all of them would give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.retrievers.ranking import IntArray

__all__ = ["best_first"]

# A bound from k of 8 k column maxima lets few scores pass; with fewer than 4 rows, sorting everything costs the same.
_COLUMNS_PER_PLACE = 8
_LEAST_ROWS = 4


def best_first(scores: npt.NDArray[np.floating[Any]], k: int | None = None) -> IntArray:
    """Return the positions of the ``k`` highest scores (of all, without ``k``), best first; equal scores keep order.

    For small ``k`` the scores are laid out in columns. The k-th highest column maximum is a bound that at least ``k``
    scores reach, so that only those above it need sorting; if they are fewer than ``k``, the bound itself is the k-th
    highest score, and its first occurrences fill the rest. Two passes over the scores instead of a sort.
    """
    if k is not None and k < 1:
        raise UsageError(f"A ranking holds at least 1 chunk, not {k}.")
    width = len(scores) if k is None else k * _COLUMNS_PER_PLACE
    if k is None or width * _LEAST_ROWS > len(scores):
        return np.argsort(-scores, kind="stable")[:k]
    n_rows = len(scores) // width
    maxima = scores[: n_rows * width].reshape(n_rows, width).max(axis=0)
    bound = np.partition(maxima, width - k)[width - k]
    above = np.flatnonzero(scores > bound)
    above = above[np.argsort(-scores[above], kind="stable")][:k]
    if len(above) == k:
        return above
    return np.concatenate((above, np.flatnonzero(scores == bound)[: k - len(above)]))
