"""A ranking whose head was put into a new order, with scores that still fall from rank to rank."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ragtrial.retrievers.ranking import FloatArray, IntArray, Ranking, offsets_of

__all__ = ["put_below", "ranking_of"]


def put_below(head: FloatArray, tail: FloatArray) -> FloatArray:
    """Return the scores of a ranking made of two parts, both best first.

    The second part's scores are moved down by one number where they would else exceed the first part's: whoever reads
    the scores and not the order (a fusion of scores, a run file) then sees the same ranking.
    """
    if not len(head) or not len(tail) or tail[0] <= head[-1]:
        return np.concatenate((head, tail))
    # Rounding may lift a difference by one step over what it was taken to.
    return np.concatenate((head, np.minimum(tail - (tail[0] - head[-1]), head[-1])))


def ranking_of(rows: Iterable[tuple[IntArray, FloatArray]]) -> Ranking:
    """Return the ranking that has these chunks and scores, question after question."""
    found = list(rows)
    return Ranking(
        offsets_of([len(chunks) for chunks, _ in found]),
        np.concatenate([np.empty(0, dtype=np.int64), *(chunks for chunks, _ in found)]),
        np.concatenate([np.empty(0), *(scores for _, scores in found)]),
    )
