"""Descriptions of an effect, and agreement between raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics.clusters import Floats, differences, scores
from ragtrial.statistics.ratio import has_width

__all__ = ["Tally", "cohens_dz", "kappa", "spearman", "win_tie_loss"]

_TIE = 1e-12


class Tally(NamedTuple):
    """On how many questions A scores higher than B, the same, and lower."""

    wins: int
    ties: int
    losses: int


def cohens_dz(values: ArrayLike) -> float | None:
    """Return mean / sd (ddof 1) of paired differences over questions; None where there is no spread.

    Source: Kuehlkamp et al. 2026, appendix on the protocol's statistics; METHODS section 6.

    >>> cohens_dz([1.0, 2.0, 3.0]), cohens_dz([0.5, 0.5])
    (2.0, None)
    """
    array = scores(values, "the differences")
    if len(array) < 2 or not has_width(array):
        return None
    return float(array.mean() / array.std(ddof=1))


def win_tie_loss(a: ArrayLike, b: ArrayLike) -> Tally:
    """Count the questions on which A wins, ties (within 1e-12) and loses. Source: Mangla 2026, appendix D.

    >>> win_tie_loss([1.0, 0.5, 0.0, 0.3], [0.0, 0.5, 1.0, 0.1 + 0.2])
    Tally(wins=1, ties=2, losses=1)
    """
    return tally_of(differences(a, b))


def tally_of(paired: Floats) -> Tally:
    """Count the wins, ties and losses of paired differences; see :func:`win_tie_loss`."""
    wins, losses = int(np.count_nonzero(paired > _TIE)), int(np.count_nonzero(paired < -_TIE))
    return Tally(wins, len(paired) - wins - losses, losses)


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Cohen's kappa: agreement of two raters beyond chance.

    kappa = (p_o - p_e) / (1 - p_e), with the observed agreement and that of raters who keep
    their label shares but label independently. Source: Cohen 1960, Educ. Psychol. Meas. 20(1).

    Raises StatisticsError for unequal or empty lists, and where both raters used one and the same
    label throughout: chance agreement is then complete and kappa undefined.

    >>> round(kappa(["yes"] * 25 + ["no"] * 25, ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15), 12)
    0.4
    """
    if len(first) != len(second) or not first:
        raise StatisticsError(
            f"Kappa needs two lists of labels for the same items and got {len(first)} and {len(second)} labels.",
            hint="Give one label a rater for each item.",
        )
    n = len(first)
    observed = sum(x == y for x, y in zip(first, second, strict=True)) / n
    of_first, of_second = Counter(first), Counter(second)
    chance = sum(times * of_second[label] for label, times in of_first.items()) / n**2
    if chance == 1.0:
        raise StatisticsError(
            "Both raters gave one and the same label to every item, so kappa is undefined.",
            hint="Report the agreement itself, or label items on which both answers can occur.",
        )
    return (observed - chance) / (1.0 - chance)


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Spearman's rank correlation, ties given their mean rank; None where one side is constant.

    The Pearson correlation of the ranks. Source: Spearman 1904, Am. J. Psychol. 15(1).

    >>> round(spearman([1, 2, 2, 3], [1, 2, 3, 4]), 6)
    0.948683
    """
    first, second = _mean_ranks(scores(x, "x")), _mean_ranks(scores(y, "y"))
    if len(first) != len(second) or len(first) < 2:
        raise StatisticsError(
            f"A rank correlation needs pairs and got {len(first)} and {len(second)} values.",
            hint="Give at least two pairs.",
        )
    first, second = first - first.mean(), second - second.mean()
    spread = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / spread if spread else None


def _mean_ranks(values: Floats) -> Floats:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[codes])
