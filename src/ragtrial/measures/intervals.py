"""Half-open ranges of characters: their union, and how much two sets of them share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

__all__ = ["Intervals", "merged", "overlap", "size"]

Intervals: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges ``(start, end)``, ascending, none empty, none touching the next: what `merged` returns."""


def merged(spans: Iterable[Sequence[int]]) -> Intervals:
    """Return the union of spans, given in any order, overlapping or empty."""
    union: list[tuple[int, int]] = []
    for start, end in sorted((start, end) for start, end in spans if start < end):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((start, end))
    return tuple(union)


def size(intervals: Intervals) -> int:
    """Return the number of characters of a union."""
    return sum(end - start for start, end in intervals)


def overlap(first: Intervals, second: Intervals) -> int:
    """Return the number of characters that two unions share."""
    shared = one = two = 0
    while one < len(first) and two < len(second):
        (start, end), (other_start, other_end) = first[one], second[two]
        shared += max(0, min(end, other_end) - max(start, other_start))
        if end <= other_end:
            one += 1
        else:
            two += 1
    return shared
