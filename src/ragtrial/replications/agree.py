"""Whether a measured number agrees with a published one; published ones are in points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["overlap", "points", "points_of", "same_sign"]

_POINT: Final = 0.01


def points(value: float) -> float:
    """Return a score in points."""
    return round(value / _POINT, 10)


def points_of(interval: Sequence[float] | None) -> list[float] | None:
    """Return the ends of an interval in points."""
    return None if interval is None else [points(end) for end in interval]


def same_sign(published: float | None, measured: float) -> bool | None:
    """Tell whether both differences have one sign; None where one has none."""
    return None if not published or not measured else (published > 0) == (measured > 0)


def overlap(published: Sequence[float] | None, measured: Sequence[float] | None) -> bool | None:
    """Tell whether two intervals have a number in common; None where one is missing."""
    if published is None or measured is None:
        return None
    return measured[0] <= published[1] and published[0] <= measured[1]
