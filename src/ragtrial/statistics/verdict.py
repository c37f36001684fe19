"""The verdict of one row: a closed set of words from one pure function.

A word always means the same rule. What else a reader must know stands beside it: the
tier of the row (confirmatory, secondary or exploratory), and whether its p-values are
Holm-adjusted inside a family. Source: METHODS section 6; Mangla 2026, section 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ragtrial.errors import StatisticsError
from ragtrial.statistics.intervals import Interval

__all__ = [
    "ALPHA",
    "SMALL_DIFFERENCE",
    "TESTS",
    "TIERS",
    "WORDS",
    "Demand",
    "Direction",
    "Test",
    "Tier",
    "Verdict",
    "Word",
    "excludes_zero",
    "verdict",
]

Test = Literal["difference", "equivalence", "non-inferiority"]
Demand = Literal["sign-flip", "bootstrap"]
Tier = Literal["confirmatory", "secondary", "exploratory"]
Direction = Literal["A", "B", "neither"]
Word = Literal[
    "equivalent",
    "non-inferior",
    "different",
    "no difference detected",
    "inconclusive",
    "cannot say",
]

TESTS: tuple[Test, ...] = get_args(Test)
TIERS: tuple[Tier, ...] = get_args(Tier)
WORDS: tuple[Word, ...] = get_args(Word)

ALPHA = 0.05
"""Reject below this."""

SMALL_DIFFERENCE = "small difference within the margin"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a row says.

    Attributes
    ----------
    word : one of :data:`WORDS`
    direction : "A", "B" or "neither"
        The arm with the higher mean, whatever the word.
    remark : str
        :data:`SMALL_DIFFERENCE` where the difference is inside the margin and yet not 0, else empty.
    """

    word: Word
    direction: Direction
    remark: str = ""


def verdict(
    test: Test,
    difference: float,
    ci95: Interval | None,
    *,
    margin: float | None = None,
    p_margin: float | None = None,
    p_demanded: float | None = None,
) -> Verdict:
    """Return the verdict of one row.

    Parameters
    ----------
    test : "difference", "equivalence" or "non-inferiority"
    difference : float, A - B
    ci95 : (low, high), or None where no interval could be given
    margin : float, needed for equivalence and non-inferiority
    p_margin : float
        p-value of TOST, or of the lower side for non-inferiority; Holm-adjusted if the row is in a family.
    p_demanded : float, optional
        The p-value that "different" also needs below 0.05, as the row's family says (see `Demand`), likewise; None:
        the family demands none.

    Rules
    -----
    Without an interval: "cannot say". Else "equivalent" ("non-inferior") if ``p_margin`` < 0.05; else
    "different" if the 95% interval excludes 0 and the family's demand, if any, is met; else "inconclusive", or
    "no difference detected" where the test was "difference". An interval that touches 0 includes it.

    Raises StatisticsError where a row lacks what its rule needs.

    >>> verdict("equivalence", 0.055, (0.029, 0.081), margin=0.05, p_margin=0.6).word
    'different'
    >>> verdict("equivalence", -0.022, (-0.035, -0.009), margin=0.05, p_margin=0.001)
    Verdict(word='equivalent', direction='B', remark='small difference within the margin')
    >>> verdict("difference", 0.027, (0.005, 0.051), p_demanded=0.057).word
    'no difference detected'
    """
    if test not in TESTS:
        raise StatisticsError(f"There is no test {test!r}.", hint=f"Known: {', '.join(TESTS)}.")
    if test != "difference" and margin is None:
        raise StatisticsError(f"A row of {test} has no margin.", hint="Give the margin in the unit of the scores.")
    direction: Direction = "A" if difference > 0.0 else "B" if difference < 0.0 else "neither"
    if ci95 is None:
        return Verdict("cannot say", direction)
    word = _decision(test, ci95, p_margin, p_demanded)
    small = word == "equivalent" and excludes_zero(ci95)
    return Verdict(word, direction, SMALL_DIFFERENCE if small else "")


def excludes_zero(ci: Interval) -> bool:
    """Tell whether an interval lies wholly above or wholly below 0; touching 0 includes it.

    >>> excludes_zero((0.01, 0.2)), excludes_zero((0.0, 0.2))
    (True, False)
    """
    return ci[0] > 0.0 or ci[1] < 0.0


def _decision(test: Test, ci95: Interval, p_margin: float | None, p_demanded: float | None) -> Word:
    if test != "difference" and _needed(p_margin, f"The p-value of {test}") < ALPHA:
        return "equivalent" if test == "equivalence" else "non-inferior"
    confirmed = p_demanded is None or _needed(p_demanded, "The p-value that the family demands") < ALPHA
    if confirmed and excludes_zero(ci95):
        return "different"
    return "no difference detected" if test == "difference" else "inconclusive"


def _needed(p: float | None, what: str) -> float:
    if p is None or not 0.0 <= p <= 1.0:
        raise StatisticsError(f"{what} is missing or no probability: {p}.", hint="Adjust it inside its family first.")
    return p
