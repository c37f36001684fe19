"""The front door: two arms' scores in, one comparison out; many at once share their random draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics.bootstrap import check_resamples, replicates
from ragtrial.statistics.clusters import (
    FEW_CLUSTERS,
    MIN_CLUSTERS,
    Clusters,
    Floats,
    Labels,
    differences,
    group,
    plain,
)
from ragtrial.statistics.effects import Tally, cohens_dz, tally_of
from ragtrial.statistics.equivalence import OneSided, check_margin, tost_by_inversion
from ragtrial.statistics.intervals import Correction, Interval, IntervalKind, bias, check_kind, intervals
from ragtrial.statistics.permutation import bootstrap_p, sign_flip_sums
from ragtrial.statistics.power import minimum_detectable_effect
from ragtrial.statistics.ratio import acceleration, has_width, ratio_mean, standard_error
from ragtrial.statistics.verdict import Direction, Test, Word, verdict

__all__ = ["Comparison", "Paired", "compare", "compare_many"]


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The scores of two arms on the same questions, and what is asked of them.

    Attributes
    ----------
    a, b : float arrays of shape (questions,), in the same order
    clusters : one label a question
    strata : one label a question, optional
    margin : float in the unit of the scores, optional
    test : optional
        "difference" without a margin and "equivalence" with one, unless given.
    """

    a: ArrayLike
    b: ArrayLike
    clusters: Labels
    strata: Labels | None = None
    margin: float | None = None
    test: Test | None = None

    @property
    def asked(self) -> Test:
        """The test that the row stands for."""
        return self.test or ("difference" if self.margin is None else "equivalence")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is said about A - B; None stands for what cannot be computed.

    Attributes
    ----------
    test, margin, interval, resamples, seed : as asked, defaults filled in
    n, n_clusters : int
    mean_a, mean_b, difference : float
        Unweighted means over questions, and their difference.
    ci90, ci95 : (low, high) or None
        Intervals of the kind ``interval``; None under three clusters.
    z0, acceleration : float or None
        The correction of BCa, also where the interval is "percentile" and does without it.
    se : float or None, the cluster-robust standard error
    p_sign_flip : float, two-sided, over whole clusters
    p_bootstrap : float or None, the rule 2 min(P(<= 0), P(>= 0))
    p_tost, p_non_inferior : float or None
        With a margin: inversion of the interval of the kind ``interval``.
    dz : float or None, Cohen's dz
    wins, ties, losses : int, questions on which A is higher, equal, lower
    mde : float or None
        The smallest difference that a two-sided test at 5% finds with 80% power: 2.80 se.
    verdict, direction, remark : as in :class:`ragtrial.statistics.verdict.Verdict`
        Those of a row that is a family of its own.
    notes : tuple of sentences about what limits the row
    """

    test: Test
    margin: float | None
    interval: IntervalKind
    resamples: int
    seed: int
    n: int
    n_clusters: int
    mean_a: float
    mean_b: float
    difference: float
    ci90: Interval | None
    ci95: Interval | None
    z0: float | None
    acceleration: float | None
    se: float | None
    p_sign_flip: float
    p_bootstrap: float | None
    p_tost: float | None
    p_non_inferior: float | None
    dz: float | None
    wins: int
    ties: int
    losses: int
    mde: float | None
    verdict: Word
    direction: Direction
    remark: str
    notes: tuple[str, ...]

    @property
    def p_margin(self) -> float | None:
        """The p-value of the row's own margin test: TOST or non-inferiority; None for a difference."""
        return {"equivalence": self.p_tost, "non-inferiority": self.p_non_inferior}.get(self.test)

    @property
    def printed(self) -> tuple[int, Interval] | None:
        """The interval that tables print, with its percentage: 90 where a margin is tested, else 95."""
        percent, ci = (95, self.ci95) if self.test == "difference" else (90, self.ci90)
        return None if ci is None else (percent, ci)


def compare(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Labels,
    *,
    strata: Labels | None = None,
    margin: float | None = None,
    interval: IntervalKind = "bca",
    resamples: int = 10_000,
    seed: int = 0,
    test: Test | None = None,
) -> Comparison:
    """Compare two arms on the same questions: interval, tests, effect size and verdict.

    Parameters
    ----------
    a, b : float arrays of shape (questions,)
        The scores of both arms, one a question, in the same order.
    clusters : one label a question
        What was sampled: the document where several questions share one, else the question.
    strata : one label a question, optional
        Clusters are resampled within strata, such as domains.
    margin : float in the unit of the scores, optional
        The largest difference that would not matter; asks for equivalence.
    interval : "bca" or "percentile"
    resamples : int, at least 40
    seed : int
    test : "difference", "equivalence" or "non-inferiority", optional

    Returns
    -------
    Comparison

    Raises
    ------
    StatisticsError
        Arrays of unequal length, scores that are not finite numbers, no question, a margin that is not positive.

    The difference is the mean of A - B over questions; its interval is a cluster bootstrap (BCa by default).
    Source: METHODS section 6; Mangla 2026, section 4.5; Kuehlkamp et al. 2026, section 5.

    >>> papers = [f"p{i // 2}" for i in range(60)]
    >>> a = [0.5 + 0.01 * (i % 5) for i in range(60)]
    >>> b = [0.48 + 0.01 * (i % 3) for i in range(60)]
    >>> row = compare(a, b, papers, margin=0.05)
    >>> row.n, row.n_clusters, round(row.difference, 4), row.verdict, row.direction
    (60, 30, 0.03, 'equivalent', 'A')
    >>> row.remark
    'small difference within the margin'
    """
    pair = Paired(a, b, clusters, strata, margin, test)
    return compare_many([pair], interval=interval, resamples=resamples, seed=seed)[0]


def compare_many(
    pairs: Sequence[Paired], *, interval: IntervalKind = "bca", resamples: int = 10_000, seed: int = 0
) -> tuple[Comparison, ...]:
    """Compare many pairs of arms; each result is what :func:`compare` gives alone, up to rounding.

    Pairs with equal cluster and stratum labels share one set of draws, which is most of the work of one.
    Passing the same label object in each saves comparing labels.

    Parameters
    ----------
    pairs : sequence of Paired, which may have different questions
    interval, resamples, seed : as in :func:`compare`

    Returns
    -------
    tuple of Comparison, in the order of the pairs

    >>> rows = compare_many([Paired([1.0, 0.0, 1.0], [0.0, 0.0, 0.5], [1, 2, 3]), Paired([0.0], [0.5], ["q"])])
    >>> [row.difference for row in rows], [row.verdict for row in rows]
    ([0.5, -0.5], ['no difference detected', 'cannot say'])
    """
    check_kind(interval)
    check_resamples(resamples)
    results: dict[int, Comparison] = {}
    for places in _sharing(pairs):
        grouped = group(pairs[places[0]].clusters, pairs[places[0]].strata)
        together = _together([pairs[place] for place in places], grouped, interval, resamples, seed)
        results.update(zip(places, together, strict=True))
    return tuple(results[place] for place in range(len(pairs)))


def _sharing(pairs: Sequence[Paired]) -> list[list[int]]:
    """Return the places of pairs that have equal clusters and strata."""
    keys: dict[tuple[int, int], object] = {}
    places: dict[object, list[int]] = {}
    for place, pair in enumerate(pairs):
        same_objects = (id(pair.clusters), id(pair.strata))
        if same_objects not in keys:
            keys[same_objects] = tuple(
                None if labels is None else tuple(plain(labels)) for labels in (pair.clusters, pair.strata)
            )
        try:
            places.setdefault(keys[same_objects], []).append(place)
        except TypeError as fault:
            raise StatisticsError(
                "The labels of clusters or strata are not single values.", hint="Give one name or number a question."
            ) from fault
    return list(places.values())


def _together(
    pairs: list[Paired], grouped: Clusters, kind: IntervalKind, resamples: int, seed: int
) -> list[Comparison]:
    margins = [0.0 if pair.margin is None else check_margin(pair.margin) for pair in pairs]
    paired = [differences(pair.a, pair.b) for pair in pairs]
    sums = np.array([grouped.sums(values) for values in paired])
    p_sign_flip = sign_flip_sums(sums, grouped.n, resamples, seed)
    boot: list[Floats | None] = [None] * len(pairs)
    if grouped.n_clusters >= MIN_CLUSTERS:
        watched = np.array(
            [(ratio_mean(row, grouped.counts), 0.0, -margin, margin) for row, margin in zip(sums, margins, strict=True)]
        )
        boot = list(replicates(grouped, sums, watched, resamples, seed))
    return [
        _comparison(pair, _Row(grouped, values, row, replicate, float(p)), kind, resamples, seed)
        for pair, values, row, replicate, p in zip(pairs, paired, sums, boot, p_sign_flip, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Row:
    """The shared work, cut down to one contrast; ``boot`` is None under three clusters."""

    grouped: Clusters
    paired: Floats
    sums: Floats
    boot: Floats | None
    p_sign_flip: float


@dataclass(frozen=True, slots=True)
class _Inference:
    """What rests on the bootstrap; all None where there is none."""

    ci90: Interval | None = None
    ci95: Interval | None = None
    correction: Correction | None = None
    one_sided: OneSided | None = None
    p_bootstrap: float | None = None
    se: float | None = None


def _infer(row: _Row, point: float, kind: IntervalKind, margin: float | None) -> _Inference:
    if row.boot is None:
        return _Inference()
    boot = np.sort(row.boot)  # quantiles of sorted values cost a third
    bca = Correction(bias(boot, point), acceleration(row.sums, row.grouped.counts))
    used = bca if kind == "bca" else Correction(0.0, 0.0)
    ci90, ci95 = intervals(boot, point, used, (0.90, 0.95))
    return _Inference(
        ci90=ci90,
        ci95=ci95,
        correction=bca,
        one_sided=None if margin is None else tost_by_inversion(boot, used, margin),
        p_bootstrap=bootstrap_p(boot),
        se=standard_error(row.sums, row.grouped.counts),
    )


def _comparison(pair: Paired, row: _Row, kind: IntervalKind, resamples: int, seed: int) -> Comparison:
    point = ratio_mean(row.sums, row.grouped.counts)
    found = _infer(row, point, kind, pair.margin)
    one_sided = found.one_sided
    p_margin = None if one_sided is None else one_sided.p if pair.asked == "equivalence" else one_sided.above
    says = verdict(pair.asked, point, found.ci95, margin=pair.margin, p_margin=p_margin)
    tally = tally_of(row.paired)
    return Comparison(
        test=pair.asked,
        margin=pair.margin,
        interval=kind,
        resamples=resamples,
        seed=seed,
        n=row.grouped.n,
        n_clusters=row.grouped.n_clusters,
        mean_a=float(np.asarray(pair.a, dtype=np.float64).mean()),
        mean_b=float(np.asarray(pair.b, dtype=np.float64).mean()),
        difference=point,
        ci90=found.ci90,
        ci95=found.ci95,
        z0=None if found.correction is None else found.correction.z0,
        acceleration=None if found.correction is None else found.correction.acceleration,
        se=found.se,
        p_sign_flip=row.p_sign_flip,
        p_bootstrap=found.p_bootstrap,
        p_tost=None if one_sided is None else one_sided.p,
        p_non_inferior=None if one_sided is None else one_sided.above,
        dz=cohens_dz(row.paired),
        wins=tally.wins,
        ties=tally.ties,
        losses=tally.losses,
        mde=None if found.se is None else minimum_detectable_effect(found.se),
        verdict=says.word,
        direction=says.direction,
        remark=says.remark,
        notes=_notes(row, tally),
    )


def _notes(row: _Row, tally: Tally) -> tuple[str, ...]:
    clusters = row.grouped.n_clusters
    notes = []
    if clusters < MIN_CLUSTERS:
        notes.append(f"No interval: {clusters} of the {MIN_CLUSTERS} clusters that one needs.")
    elif clusters < FEW_CLUSTERS:
        notes.append(
            f"Only {clusters} clusters: under {FEW_CLUSTERS}, intervals are too narrow and find differences "
            "that are not there more often than 5% of the time."
        )
    if tally.wins == tally.losses == 0:
        notes.append("Both arms score the same on every question.")
    elif row.boot is not None and not has_width(row.boot):
        notes.append("Every cluster shows the same difference, so the interval has no width.")
    return tuple(notes)
