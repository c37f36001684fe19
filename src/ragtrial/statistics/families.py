"""All rows of a trial judged together: Holm inside each family, then a verdict for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragtrial.errors import StatisticsError
from ragtrial.statistics.compare import Comparison
from ragtrial.statistics.holm import holm_by_family
from ragtrial.statistics.verdict import TIERS, Demand, Tier, Verdict, verdict

__all__ = ["Judged", "Row", "judge"]


@dataclass(frozen=True, slots=True)
class Row:
    """One contrast of a trial.

    Attributes
    ----------
    comparison : Comparison
    tier : "confirmatory", "secondary" or "exploratory"
    family : str or None
        The Holm family; a confirmatory row needs one. A row without one keeps its p-values unadjusted, and
        so does an exploratory row, whatever family it names.
    demands : "sign-flip", "bootstrap" or None
        The p-value that the family demands below 0.05 for the word "different", beside an interval without 0.
    """

    comparison: Comparison
    tier: Tier
    family: str | None = None
    demands: Demand | None = None

    @property
    def adjusted(self) -> bool:
        """Whether the row's p-values are adjusted inside a family."""
        return self.tier != "exploratory" and self.family is not None


@dataclass(frozen=True, slots=True)
class Judged:
    """A row's verdict and the adjusted p-values behind it; None for rows outside any family.

    Attributes
    ----------
    verdict : Verdict
    tier : Tier
    p_margin : float or None, Holm-adjusted p-value of the margin test
    p_sign_flip : float or None, Holm-adjusted
    p_bootstrap : float or None, Holm-adjusted
    """

    verdict: Verdict
    tier: Tier
    p_margin: float | None = None
    p_sign_flip: float | None = None
    p_bootstrap: float | None = None


def judge(rows: Sequence[Row]) -> tuple[Judged, ...]:
    """Adjust the p-values inside each family and return the verdict of each row, in order.

    A family is adjusted over all its rows, whatever they test: once over the sign-flip p-values, once over the
    bootstrap p-values, and once over each row's own p-value (margin test, or sign-flip for a difference). A row that
    cannot be tested counts as p = 1, so that no test leaves its family. Other rows are judged by their own p-values.
    Source: METHODS section 6; Mangla 2026, sections 4.5 and E.

    Raises StatisticsError for a confirmatory row without a family, and a family that demands a p-value in part.

    >>> from ragtrial.statistics.compare import compare
    >>> papers = [f"p{i}" for i in range(40)]
    >>> better = compare([0.6 + 0.01 * (i % 7) for i in range(40)], [0.5] * 40, papers)
    >>> same = compare([0.5 + 0.1 * (i % 2) for i in range(40)], [0.55] * 40, papers)
    >>> family = [Row(row, "confirmatory", "H1", "sign-flip") for row in (better, same)]
    >>> [row.verdict.word for row in judge([*family, Row(better, "exploratory")])]
    ['different', 'no difference detected', 'different']
    """
    _check(rows)
    inside = [place for place, row in enumerate(rows) if row.adjusted]
    families = [str(rows[place].family) for place in inside]
    raw = [_p_values(rows[place].comparison) for place in inside]
    adjusted = np.array([holm_by_family(column, families) for column in np.reshape(raw, (len(inside), 3)).T])
    by_place = dict(zip(inside, adjusted.T.tolist(), strict=True))
    return tuple(_judged(row, by_place.get(place)) for place, row in enumerate(rows))


def _judged(row: Row, adjusted: list[float] | None) -> Judged:
    if adjusted is None:
        return Judged(_words(row, *_p_values(row.comparison)), row.tier)
    own, flip, boot = adjusted
    of_margin = None if row.comparison.test == "difference" else own
    return Judged(_words(row, own, flip, boot), row.tier, of_margin, flip, boot)


def _check(rows: Sequence[Row]) -> None:
    demands: dict[str, Demand | None] = {}
    for row in rows:
        if row.tier not in TIERS:
            raise StatisticsError(f"There is no tier {row.tier!r}.", hint=f"Known: {', '.join(TIERS)}.")
        if row.tier == "confirmatory" and row.family is None:
            raise StatisticsError("A confirmatory row has no family.", hint="Name the Holm family of the contrast.")
        if row.adjusted and demands.setdefault(str(row.family), row.demands) != row.demands:
            raise StatisticsError(
                f"Family {row.family!r} does not demand the same p-value of all its rows.",
                hint="The demand belongs to the family: state it once for all its rows.",
            )


def _p_values(comparison: Comparison) -> tuple[float, float, float]:
    """The row's own p-value, that of sign-flips, and that of the bootstrap rule."""
    own = comparison.p_sign_flip if comparison.test == "difference" else comparison.p_margin
    return _or_one(own), comparison.p_sign_flip, _or_one(comparison.p_bootstrap)


def _or_one(p: float | None) -> float:
    return 1.0 if p is None else p


def _words(row: Row, own: float, flip: float, boot: float) -> Verdict:
    comparison = row.comparison
    return verdict(
        comparison.test,
        comparison.difference,
        comparison.ci95,
        margin=comparison.margin,
        p_margin=own,
        p_demanded=None if row.demands is None else {"sign-flip": flip, "bootstrap": boot}[row.demands],
    )
