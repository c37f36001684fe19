"""The BM25 formulas: what one word in one chunk adds to its score.

``okapi``, ``bm25+`` and ``bm25l`` compute, operation by operation, what rank_bm25 0.2.2 computes, so that their scores
are equal to the last bit. ``lucene`` and ``atire`` follow the table of Kamphuis, de Vries, Boytsov and Lin, "Which BM25
do you mean?" (ECIR 2020), with exact chunk lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from ragtrial.retrievers.bm25.postings import Postings
from ragtrial.retrievers.ranking import FloatArray, offsets_of

__all__ = ["VARIANTS", "Variant", "term_idf", "weigh"]

Counts = npt.NDArray[np.int32]

_BLOCK = 1 << 18


@dataclass(frozen=True)
class Variant:
    """One member of the BM25 family."""

    idf: Callable[[int, int], float]
    """(chunks in the pool, chunks of these with the word) to the weight of the word."""
    gain: Callable[[FloatArray, Counts, FloatArray, float, float], FloatArray]
    """(idf, count, relative length, k1, delta) to what a word adds to a chunk that holds it."""
    delta: float | None = None
    """The default of delta, or None where the formula has none."""
    floored: bool = False
    """Whether a negative idf is replaced by epsilon x the mean idf of the pool's vocabulary."""
    everywhere: bool = False
    """Whether a word of the pool adds idf x delta also to the chunks without it."""


def term_idf(postings: Postings, variant: Variant, epsilon: float) -> FloatArray:
    """Return the idf of every term from the statistics of its pool, the okapi floor included."""
    n_with = np.diff(postings.offsets)
    n_all = np.repeat(np.diff(postings.pool_chunks), np.diff(postings.pool_terms))
    # Each different (N, n) is computed once, with math.log: numpy's may differ from it in the last bit.
    base = len(postings.lengths) + 1
    pairs, place = np.unique(n_all * base + n_with, return_inverse=True)
    idf = np.array([variant.idf(*divmod(pair, base)) for pair in pairs.tolist()], dtype=np.float64)[place]
    if variant.floored:
        for start, end in zip(postings.pool_terms[:-1], postings.pool_terms[1:], strict=True):
            if start < end:
                of_pool = idf[start:end]
                # cumsum adds one after the other, as the oracle does; sum() and np.sum() round differently.
                mean = np.cumsum(of_pool)[-1] / len(of_pool)
                of_pool[of_pool < 0] = epsilon * mean
    return idf


def weigh(postings: Postings, variant: Variant, idf: FloatArray, *, k1: float, b: float, delta: float) -> FloatArray:
    """Return what every posting adds to the score of its chunk, float64."""
    relative_length = (1 - b) + b * postings.lengths / _mean_length(postings)
    weights = np.repeat(idf, np.diff(postings.offsets))
    # Blocks keep the temporaries in the processor's cache and out of the peak memory.
    for start in range(0, len(weights), _BLOCK):
        block = slice(start, start + _BLOCK)
        weights[block] = variant.gain(
            weights[block], postings.counts[block], relative_length[postings.chunks[block]], k1, delta
        )
    return weights


def _mean_length(postings: Postings) -> FloatArray:
    """Return for every chunk the mean number of words of its pool's chunks."""
    sizes = np.diff(postings.pool_chunks)
    totals = np.diff(offsets_of(postings.lengths)[postings.pool_chunks])
    # A pool without words or without chunks has no postings to weigh: all it needs is no division by zero.
    return np.repeat(np.maximum(totals, 1) / np.maximum(sizes, 1), sizes)


def _saturated(count: Counts, relative_length: FloatArray, k1: float) -> FloatArray:
    return (count * (k1 + 1)) / (count + k1 * relative_length)


def _classic_gain(idf: FloatArray, count: Counts, relative_length: FloatArray, k1: float, _: float) -> FloatArray:
    return idf * _saturated(count, relative_length, k1)


def _lucene_gain(idf: FloatArray, count: Counts, relative_length: FloatArray, k1: float, _: float) -> FloatArray:
    return idf * (count / (count + k1 * relative_length))


def _plus_gain(idf: FloatArray, count: Counts, relative_length: FloatArray, k1: float, delta: float) -> FloatArray:
    return idf * (delta + _saturated(count, relative_length, k1))


def _l_gain(idf: FloatArray, count: Counts, relative_length: FloatArray, k1: float, delta: float) -> FloatArray:
    normalised = count / relative_length
    return idf * count * (k1 + 1) * (normalised + delta) / (k1 + normalised + delta)


def _okapi_idf(n_all: int, n_with: int) -> float:
    return math.log(n_all - n_with + 0.5) - math.log(n_with + 0.5)


def _plus_idf(n_all: int, n_with: int) -> float:
    return math.log((n_all + 1) / n_with)


def _l_idf(n_all: int, n_with: int) -> float:
    return math.log(n_all + 1) - math.log(n_with + 0.5)


def _lucene_idf(n_all: int, n_with: int) -> float:
    return math.log(1 + (n_all - n_with + 0.5) / (n_with + 0.5))


def _atire_idf(n_all: int, n_with: int) -> float:
    return math.log(n_all / n_with)


VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {
        "okapi": Variant(_okapi_idf, _classic_gain, floored=True),
        "bm25+": Variant(_plus_idf, _plus_gain, delta=1.0, everywhere=True),
        "bm25l": Variant(_l_idf, _l_gain, delta=0.5),
        "lucene": Variant(_lucene_idf, _lucene_gain),
        "atire": Variant(_atire_idf, _classic_gain),
    }
)
