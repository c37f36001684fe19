"""Recall and hits, from which evidence texts were found (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["best_recall", "hit", "recall"]


def recall(found: Sequence[bool]) -> float:
    """Return the share of the evidence texts that were found; there must be one at least."""
    return sum(found) / len(found)


def best_recall(found: Sequence[bool], groups: Sequence[Sequence[int]]) -> float:
    """Return the recall of each group's evidence texts (an annotator's), then the maximum over groups."""
    return max(recall([found[number] for number in group]) for group in groups)


def hit(found: Sequence[bool]) -> float:
    """Return 1.0 if any evidence text was found, else 0.0."""
    return float(any(found))
