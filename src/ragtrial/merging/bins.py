"""Which chunks of a document become one: by key, or so many pairs of neighbours (METHODS section 2.2).

A bin is the numbers of chunks that become one, ascending. Sizes are characters of chunks' own texts; chunks of one bin
are joined by a blank line, which counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["SEPARATOR", "Bins", "Choice", "bins_by_key", "bins_of_neighbours", "by_chance", "by_similarity", "merges"]

Bins: TypeAlias = "list[tuple[int, ...]]"
"""Every chunk of a document once, in the order of the bins' first members."""

Choice: TypeAlias = "Callable[[Bins, npt.NDArray[np.int64]], int]"
"""Gets the bins and the numbers of those that fit together with the next one, and returns one of these."""

SEPARATOR: Final = "\n\n"


def bins_by_key(keys: Sequence[str], sizes: Sequence[int], cap: int) -> Bins:
    """Group a document's chunks by exact key and pack each group by next-fit.

    Parameters
    ----------
    keys : sequence of str
        "" for a chunk without one, which stays alone.
    sizes : sequence of int
    cap : int
        A chunk opens a new bin if the current one would pass it; a longer chunk is so alone in its bin.
    """
    groups: dict[str, list[int]] = {}
    bins: Bins = []
    for number, key in enumerate(keys):
        if key:
            groups.setdefault(key, []).append(number)
        else:
            bins.append((number,))
    for group in groups.values():
        bins += _next_fit(group, sizes, cap)
    return sorted(bins)


def _next_fit(group: Sequence[int], sizes: Sequence[int], cap: int) -> Bins:
    bins: Bins = []
    room = 0
    for number in group:
        needed = len(SEPARATOR) + sizes[number]
        if bins and needed <= room:
            bins[-1] = (*bins[-1], number)
            room -= needed
        else:
            bins.append((number,))
            room = cap - sizes[number]
    return bins


def bins_of_neighbours(sizes: Sequence[int], wanted: int, cap: int, choose: Choice) -> Bins:
    """Join neighbouring bins, one pair at a time, until so many merges are made or no two neighbours fit.

    Parameters
    ----------
    sizes : sequence of int
    wanted : int
        How many merges; each leaves one bin less.
    cap : int
        The most characters of a bin.
    choose : callable
        Picks the pair.
    """
    bins: Bins = [(number,) for number in range(len(sizes))]
    lengths = np.array(sizes, dtype=np.int64)
    for _ in range(wanted):
        fitting = np.flatnonzero(lengths[:-1] + len(SEPARATOR) + lengths[1:] <= cap)
        if not len(fitting):
            break
        first = choose(bins, fitting)
        bins[first : first + 2] = [bins[first] + bins[first + 1]]
        lengths[first] += len(SEPARATOR) + lengths[first + 1]
        lengths = np.delete(lengths, first + 1)
    return bins


def by_chance(generator: np.random.Generator) -> Choice:
    """Return the choice of a pair at random, each that fits with equal chance.

    The study draws pairs until one fits, at most 200 times; this is the same distribution without the misses.
    """

    def choose(bins: Bins, fitting: npt.NDArray[np.int64]) -> int:  # noqa: ARG001  # chance does not look
        return int(fitting[generator.integers(len(fitting))])

    return choose


def by_similarity(vectors: npt.NDArray[np.floating]) -> Choice:
    """Return the choice of the pair whose mean member vectors have the highest cosine; of equals, the first.

    Parameters
    ----------
    vectors : float array, shape (chunks, dimension)
        One a chunk of the document.
    """

    def choose(bins: Bins, fitting: npt.NDArray[np.int64]) -> int:
        # Bins are runs of neighbours, and a sum has the direction of its mean.
        sums = np.add.reduceat(vectors, [members[0] for members in bins], axis=0, dtype=np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        # Members that cancel out have no direction; nothing is nearer to them than anything else.
        units = sums / np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
        cosines = np.einsum("ij,ij->i", units[fitting], units[fitting + 1])
        return int(fitting[np.argmax(cosines)])

    return choose


def merges(bins: Bins) -> int:
    """Return how many merges made the bins: each left one chunk less."""
    return sum(map(len, bins)) - len(bins)
