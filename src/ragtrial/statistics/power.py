"""Power before a trial: what a number of questions can show, and how many questions a margin needs.

Everything rests on the standard error that a trial of n questions will have,
se = sd sqrt(design effect / n), with the sd of paired per-question differences.
Effects and margins are in the unit of the scores (0.05 is 5 points).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics import normal
from ragtrial.statistics.clusters import MIN_CLUSTERS, Labels, group, scores
from ragtrial.statistics.ratio import has_width, standard_error
from ragtrial.statistics.verdict import TESTS, Test

__all__ = [
    "Pilot",
    "PowerPoint",
    "SampleSize",
    "minimum_detectable_effect",
    "power",
    "power_curve",
    "sample_size",
    "standard_error_of",
]


def _positive(value: float, what: str) -> float:
    if not (math.isfinite(value) and value > 0.0):
        raise StatisticsError(f"The {what} is {value}; it must be a positive number.", hint=f"Correct the {what}.")
    return value


def _share(value: float, what: str) -> float:
    if not 0.0 < value < 1.0:
        raise StatisticsError(f"The {what} is {value}; it must lie between 0 and 1.", hint=f"Correct the {what}.")
    return value


def _check_test(test: str) -> None:
    if test not in TESTS:
        raise StatisticsError(f"There is no test {test!r}.", hint=f"Known: {', '.join(TESTS)}.")


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a pilot, or a guess, says about the differences to come.

    Attributes
    ----------
    sd : float
        Standard deviation (ddof 1) of paired differences over questions.
    design_effect : float, at least 1
        By how much clustering inflates the variance of the mean: (cluster-robust se / (sd / sqrt(n)))^2.
        An estimate below 1 is raised to 1, so that luck in a pilot never makes a trial too small.
    questions_per_document : float
    """

    sd: float
    design_effect: float = 1.0
    questions_per_document: float = 1.0

    def __post_init__(self) -> None:
        """Refuse values that no sample can have."""
        _positive(self.sd, "sd of paired differences")
        if self.design_effect < 1.0:
            raise StatisticsError(f"The design effect is {self.design_effect}.", hint="It is at least 1.")
        if not self.questions_per_document >= 1.0:
            raise StatisticsError(
                f"There are {self.questions_per_document} questions a document.",
                hint="Count only documents with questions: at least 1.",
            )

    @classmethod
    def of(cls, values: ArrayLike, clusters: Labels) -> Pilot:
        """Measure a pilot's paired per-question differences, clustered by document.

        Raises StatisticsError under three clusters or when all differences are equal.

        >>> Pilot.of([0.5, 0.5, 0.0, 0.0, -0.5, -0.5], ["p1", "p1", "p2", "p2", "p3", "p3"]).design_effect
        2.5
        """
        array, grouped = scores(values, "the pilot"), group(clusters)
        sums = grouped.sums(array)
        if grouped.n_clusters < MIN_CLUSTERS:
            raise StatisticsError(
                f"The pilot has {grouped.n_clusters} clusters; power needs at least {MIN_CLUSTERS}.",
                hint="Score questions on more documents, or state the sd.",
            )
        if not has_width(array):
            raise StatisticsError(
                "All differences of the pilot are equal, so it says nothing about their spread.",
                hint="Use a pilot in which the arms differ on some questions, or state the sd.",
            )
        sd = float(array.std(ddof=1))
        effect = (standard_error(sums, grouped.counts) / sd) ** 2 * grouped.n
        return cls(sd, max(1.0, effect), grouped.n / grouped.n_clusters)


class SampleSize(NamedTuple):
    """How many questions are needed, and how many documents carry that many."""

    questions: int
    documents: int


class PowerPoint(NamedTuple):
    """One point of a power curve."""

    questions: int
    documents: int
    power: float


def standard_error_of(pilot: Pilot, questions: int) -> float:
    """Return the standard error that a trial of so many questions will have: sd sqrt(design effect / n).

    >>> round(standard_error_of(Pilot(sd=0.4), 400), 12)
    0.02
    """
    return pilot.sd * math.sqrt(pilot.design_effect / _positive(questions, "number of questions"))


def power(test: Test, size: float, se: float, *, alpha: float = 0.05) -> float:
    """Return the probability that a test succeeds.

    Parameters
    ----------
    test : "difference", "equivalence" or "non-inferiority"
    size : float
        The true difference for "difference", the margin otherwise (the true difference is then 0).
    se : float, the standard error of the difference
    alpha : float

    equivalence: 2 Phi(margin / se - z_0.95) - 1, at least 0; difference, two-sided: Phi(d / se - z_0.975) +
    Phi(-d / se - z_0.975); non-inferiority: Phi(margin / se - z_0.95). Source: METHODS section 6; Lakens 2017.

    >>> round(power("equivalence", 0.05, 0.0145), 3), round(power("difference", 0.05, 0.0178), 3)
    (0.929, 0.802)
    """
    _check_test(test)
    ratio = _positive(abs(size), "effect or margin") / _positive(se, "standard error")
    if test == "difference":
        z = normal.quantile(1.0 - _share(alpha, "alpha") / 2.0)
        return normal.cdf(ratio - z) + normal.cdf(-ratio - z)
    one_sided = normal.cdf(ratio - normal.quantile(1.0 - _share(alpha, "alpha")))
    return one_sided if test == "non-inferiority" else max(0.0, 2.0 * one_sided - 1.0)


def _standard_errors_in(test: Test, target: float, alpha: float) -> float:
    """How many standard errors the effect or margin must measure for the target power."""
    _check_test(test)
    _share(target, "power"), _share(alpha, "alpha")
    if test == "difference":
        return normal.quantile(1.0 - alpha / 2.0) + normal.quantile(target)
    return normal.quantile(1.0 - alpha) + normal.quantile((1.0 + target) / 2.0 if test == "equivalence" else target)


def minimum_detectable_effect(se: float, *, alpha: float = 0.05, target: float = 0.8) -> float:
    """Return the smallest true difference that a two-sided test finds with the target power.

    mde = (z_(1 - alpha / 2) + z_target) se.

    >>> round(minimum_detectable_effect(0.01), 4)
    0.028
    """
    return _standard_errors_in("difference", target, alpha) * se


def sample_size(test: Test, size: float, pilot: Pilot, *, alpha: float = 0.05, target: float = 0.8) -> SampleSize:
    """Return how many questions and documents a test needs to reach the target power.

    The smallest n with size / (sd sqrt(design effect / n)) at least as many standard errors as the power asks for:
    z_0.975 + z_target (difference), z_0.95 + z_((1 + target) / 2) (equivalence), z_0.95 + z_target (non-inferiority).
    ``size`` is the true difference to find, or the margin.

    >>> sample_size("equivalence", 0.05, Pilot(sd=0.4, design_effect=1.2, questions_per_document=3.0))
    SampleSize(questions=658, documents=220)
    """
    needed = _standard_errors_in(test, target, alpha) * pilot.sd / _positive(abs(size), "effect or margin")
    questions = max(2, math.ceil(pilot.design_effect * needed**2))
    return SampleSize(questions, _documents(questions, pilot))


def _documents(questions: int, pilot: Pilot) -> int:
    return math.ceil(questions / pilot.questions_per_document)


def power_curve(
    test: Test, size: float, pilot: Pilot, questions: Iterable[int], *, alpha: float = 0.05
) -> list[PowerPoint]:
    """Return the power at each number of questions.

    >>> [round(point.power, 2) for point in power_curve("difference", 0.05, Pilot(sd=0.4), [100, 500, 1000])]
    [0.24, 0.8, 0.98]
    """
    return [
        PowerPoint(n, _documents(n, pilot), power(test, size, standard_error_of(pilot, n), alpha=alpha))
        for n in questions
    ]
