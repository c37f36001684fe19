"""P-values without an interval: sign-flips of whole clusters, and the bootstrap rule of KMR."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.statistics.bootstrap import row_blocks
from ragtrial.statistics.clusters import Floats, Labels, group, scores

__all__ = ["bootstrap_p", "p_text", "sign_flip", "sign_flip_sums"]

_EXACT_CLUSTERS = 20
_TOLERANCE = 1e-12


def sign_flip(values: ArrayLike, clusters: Labels, *, resamples: int = 10_000, seed: int = 0) -> float:
    """Test "no difference" by flipping the sign of whole clusters; two-sided.

    The statistic is abs(mean over questions). With at most 20 clusters and 2^C <= resamples all sign
    patterns are walked and p = hits / 2^C; otherwise p = (1 + hits) / (1 + resamples) over random
    signs 2 integers(0, 2) - 1. A hit is a statistic at least as large as observed, up to 1e-12 max(1, observed).

    Parameters
    ----------
    values : float array of shape (questions,), the paired differences A - B
    clusters : one label a question
    resamples, seed : int

    Source: METHODS section 6; Mangla 2026, section 4.5.

    >>> sign_flip([1.0, 2.0, 3.0, 4.0], ["p1", "p2", "p3", "p4"])
    0.125
    """
    grouped = group(clusters)
    sums = grouped.sums(scores(values, "the values"))
    return float(sign_flip_sums(sums[np.newaxis], grouped.n, resamples, seed)[0])


def sign_flip_sums(sums: Floats, n: int, resamples: int, seed: int) -> Floats:
    """Return the sign-flip p-value of each contrast; all contrasts share the signs.

    ``sums`` has shape (contrasts, clusters), ``n`` is the number of questions.

    >>> sign_flip_sums(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, -1.0, 1.0, -1.0]]), 4, 10_000, 0).tolist()
    [0.125, 1.0]
    """
    clusters = sums.shape[1]
    totals = sums.sum(axis=1)
    observed = np.abs(totals) / n
    bar = observed - _TOLERANCE * np.maximum(1.0, observed)
    exact = clusters <= _EXACT_CLUSTERS and 2**clusters <= resamples
    patterns = 2**clusters if exact else resamples
    generator = np.random.default_rng(seed)
    hits = np.zeros(len(sums), dtype=np.int64)
    blocks = list(row_blocks(patterns, clusters))
    buffer = np.empty((blocks[0].stop, clusters))
    for rows in blocks:
        bits = buffer[: rows.stop - rows.start]
        if exact:
            bits[:] = (np.arange(rows.start, rows.stop)[:, np.newaxis] >> np.arange(clusters)) & 1
        else:
            bits[:] = generator.integers(0, 2, size=bits.shape)
        # With b in {0, 1}, the sum of (2 b - 1) s is 2 (b @ s) - sum(s).
        # In place: on many contrasts, fresh arrays would cost as much as the product.
        flipped = sums @ bits.T
        flipped *= 2.0
        flipped -= totals[:, np.newaxis]
        np.abs(flipped, out=flipped)
        flipped /= n
        hits += np.count_nonzero(flipped >= bar[:, np.newaxis], axis=1)
    return np.asarray(hits / patterns if exact else (1 + hits) / (1 + patterns))


def bootstrap_p(boot: Floats) -> float:
    """Return the two-sided p-value of the bootstrap rule 2 min(P(<= 0), P(>= 0)), at most 1.

    0 means less than one in ``len(boot)``: print it with :func:`p_text`.
    Source: Kuehlkamp et al. 2026, appendix on the protocol's statistics.

    >>> bootstrap_p(np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])), bootstrap_p(np.zeros(3))
    (0.5, 1.0)
    """
    smaller = min(int(np.count_nonzero(boot <= 0.0)), int(np.count_nonzero(boot >= 0.0)))
    return min(1.0, 2.0 * smaller / len(boot))


def p_text(p: float, resamples: int) -> str:
    """Print a resampling p-value: never 0, but "< 1/resamples" as a decimal.

    >>> p_text(0.0, 10_000), p_text(0.0324, 10_000), p_text(1.0, 10_000)
    ('< 0.0001', '0.032', '1.000')
    """
    if p < 1.0 / resamples:
        return f"< {1.0 / resamples:.10f}".rstrip("0")
    return f"{p:.3f}" if p >= 0.001 else f"{p:.4f}"
