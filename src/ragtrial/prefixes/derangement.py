"""A random permutation in which, if it can be, nothing stays within its group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["derange"]

Numbers = npt.NDArray[np.int64]


def derange(groups: Numbers, generator: np.random.Generator) -> Numbers:
    """Permute items at random, then repair by swaps until no item gets one of its own group, or no swap improves.

    Parameters
    ----------
    groups : int64 array, shape (items,)
        The group of each item.
    generator : numpy.random.Generator

    Returns
    -------
    int64 array, shape (items,)
        Item ``i`` gets item ``result[i]``. Items that get one of their own group are left only where one group
        holds more than half of all: of a group of c among n, the fewest possible, 2c - n.

    An item of group g that gets one of g is repaired by a swap with any item that neither is of g nor gets one of g.
    No swap makes such an item for g, so one walk over the items for each g finds all its swaps: time is near-linear,
    since a walk is long only for a group that holds a large share of the items.
    """
    count = len(groups)
    given = generator.permutation(count)
    stuck = np.flatnonzero(groups == groups[given])
    by_group = stuck[np.argsort(groups[stuck], kind="stable")]
    edges = np.flatnonzero(np.diff(groups[by_group], prepend=-1, append=-1))
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        _repair(groups, given, by_group[first:last], int(generator.integers(count)))
    return given


def _repair(groups: Numbers, given: Numbers, stuck: Numbers, start: int) -> None:
    """Swap what the stuck items of one group get with items found on a walk that begins at ``start``."""
    count = len(groups)
    group = groups[stuck[0]]
    position = 0
    for item in stuck.tolist():
        if groups[given[item]] != group:
            continue  # a swap for an earlier group repaired it
        while position < count:
            other = (start + position) % count
            position += 1
            if groups[other] != group and groups[given[other]] != group:
                given[item], given[other] = given[other], given[item]
                break
        else:
            return
