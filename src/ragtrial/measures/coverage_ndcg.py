"""Coverage-nDCG: every character of the evidence pays once, discounted by the rank that brings it (METHODS 5.2).

Source: Kuehlkamp, Moreira and Rund 2026, appendix on the primary metric.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from ragtrial.measures.intervals import Intervals
from ragtrial.measures.spans import Candidate, GoldSpans

__all__ = ["above_one", "coverage_ndcg", "dcg"]

_NOISE: Final = 1e-9
"""No two scores that differ by less than this are told apart."""


def coverage_ndcg(ranking: Sequence[int], candidates: Mapping[int, Candidate], gold: GoldSpans, cutoff: int) -> float:
    """Return the discounted coverage of a ranking, as a share of what a greedy order of the same chunks reaches.

    The gain at a rank is the mean over gold spans of the newly covered characters / the span's length. The ideal order
    takes, up to the cutoff, the chunk with the largest gain each time, of equal ones the one with the lowest number.

    Parameters
    ----------
    ranking : sequence of int
        Chunk numbers, best first.
    candidates : mapping
        The chunks of the condition's own set that share characters with the evidence: `SpanTable.candidates`.
    gold : GoldSpans
    cutoff : int
        In chunks.

    Returns
    -------
    float
        0 if no chunk covers anything. Where chunks overlap, the greedy order may not be the best, and a ranking may
        pass 1: `above_one` counts such values, nothing clips them.
    """
    cells = _cells(candidates, gold)
    ideal = dcg(_greedy_gains(cells, cutoff))
    return dcg(_gains(ranking[:cutoff], cells)) / ideal if ideal else 0.0


def dcg(gains: Iterable[float]) -> float:
    """Return the discounted cumulative gain: the sum of gain / log2(rank + 1), ranks from 1."""
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def above_one(values: Iterable[float]) -> int:
    """Return how many values are greater than 1, by more than rounding can make."""
    return sum(value > 1 + _NOISE for value in values)


class _Cells(NamedTuple):
    """The evidence, cut at every edge of a gold span or chunk, so that a chunk holds a cell wholly or not at all.

    Worth is in whole numbers, of which ``unit`` make a gain of 1: equal gains are equal, whatever they are sums of.
    """

    worth: list[int]
    held: dict[int, list[int]]
    unit: int


def _cells(candidates: Mapping[int, Candidate], gold: GoldSpans) -> _Cells:
    common = math.lcm(*gold.sizes)
    worth: list[int] = []
    held: dict[int, list[int]] = {number: [] for number in candidates}
    for document in dict.fromkeys(gold.documents):
        pieces = [number for number, own in enumerate(gold.documents) if own == document]
        chunks = {number: chunk.spans for number, chunk in candidates.items() if chunk.document == document}
        edges = _edges([*(gold.spans[piece] for piece in pieces), *chunks.values()])
        widths = [end - start for start, end in pairwise(edges)]
        paid = [0] * len(edges)
        for piece in pieces:
            for cell in _cells_of(gold.spans[piece], edges):
                paid[cell] += widths[cell] * (common // gold.sizes[piece])
        for number, spans in chunks.items():
            held[number] = [len(worth) + cell for cell in _cells_of(spans, edges) if paid[cell]]
        worth += paid
    return _Cells(worth, held, common * len(gold.sizes))


def _edges(unions: Iterable[Intervals]) -> dict[int, int]:
    """Return every edge in ascending order, with its place in that order."""
    places = sorted({place for union in unions for interval in union for place in interval})
    return {edge: number for number, edge in enumerate(places)}


def _cells_of(spans: Intervals, edges: Mapping[int, int]) -> Iterable[int]:
    return (cell for start, end in spans for cell in range(edges[start], edges[end]))


def _gains(ranking: Iterable[int], cells: _Cells) -> list[float]:
    left = list(cells.worth)
    return [_take(cells.held.get(number, ()), left) / cells.unit for number in ranking]


def _greedy_gains(cells: _Cells, cutoff: int) -> list[float]:
    left = list(cells.worth)
    gains: list[float] = []
    open_numbers = list(cells.held)
    while open_numbers and len(gains) < cutoff:
        best = max(open_numbers, key=lambda number: sum(left[cell] for cell in cells.held[number]))
        open_numbers.remove(best)
        gains.append(_take(cells.held[best], left) / cells.unit)
    return gains


def _take(held: Iterable[int], left: list[int]) -> int:
    """Return what is left of the cells' worth, and leave nothing of it."""
    taken = 0
    for cell in held:
        taken += left[cell]
        left[cell] = 0
    return taken
