"""Two groups of questions: against a loop, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from ragtrial.errors import StatisticsError
from ragtrial.statistics.groups import compare_groups

RNG = np.random.default_rng(5)
CLUSTERS = [f"p{number}" for number in RNG.integers(0, 12, size=60)]
GAIN = RNG.normal(size=60).round(2)
KIND = RNG.integers(0, 3, size=60)


def loop(values, first, second, clusters, resamples, seed):
    """Return the replicates, cluster by cluster and question by question."""
    names = list(dict.fromkeys(label for label, one, two in zip(clusters, first, second, strict=True) if one or two))
    drawn = np.random.default_rng(seed).integers(0, len(names), size=(resamples, len(names)))
    found = []
    for row in drawn.tolist():
        own = [
            (values[place], first[place])
            for number in row
            for place, label in enumerate(clusters)
            if label == names[number] and (first[place] or second[place])
        ]
        one = [value for value, is_first in own if is_first]
        two = [value for value, is_first in own if not is_first]
        if one and two:
            found.append(np.mean(one) - np.mean(two))
    return np.array(found)


def test_the_percentile_interval_is_that_of_a_loop():
    first, second = KIND == 0, KIND == 1
    (row,) = compare_groups([GAIN], first, second, CLUSTERS, interval="percentile", resamples=300, seed=7)
    boot = loop(GAIN, first, second, CLUSTERS, 300, 7)
    assert row.difference == pytest.approx(GAIN[first].mean() - GAIN[second].mean())
    assert row.ci95 == pytest.approx(np.quantile(boot, [0.025, 0.975]))
    assert (row.n_first, row.n_second) == (first.sum(), second.sum())


def test_bca_is_scipy_s_where_every_question_is_a_cluster():
    """A question's gain and its group are drawn together: scipy's bootstrap of two columns, paired."""
    first = KIND < 2

    def difference(gain, is_first, axis=-1):
        one, two = is_first.sum(axis=axis), (1 - is_first).sum(axis=axis)
        return (gain * is_first).sum(axis=axis) / one - (gain * (1 - is_first)).sum(axis=axis) / two

    own = compare_groups([GAIN], first, ~first, list(range(60)), resamples=20_000, seed=1)[0].ci95
    other = bootstrap(
        (GAIN, first.astype(float)), difference, paired=True, vectorized=True, n_resamples=20_000, rng=2
    ).confidence_interval
    assert own == pytest.approx((other.low, other.high), abs=0.02)


@given(kind=st.lists(st.integers(0, 2), min_size=60, max_size=60), shift=st.floats(-5, 5))
def test_laws(kind, shift):
    first, second = np.array(kind) == 0, np.array(kind) == 1
    if not (first.any() and second.any()):
        with pytest.raises(StatisticsError, match="has no questions"):
            compare_groups([GAIN], first, second, CLUSTERS)
        return
    row, other = compare_groups([GAIN, GAIN + shift], first, second, CLUSTERS, resamples=100)
    (back,) = compare_groups([GAIN], second, first, CLUSTERS, resamples=100, interval="percentile")
    (plain,) = compare_groups([GAIN], first, second, CLUSTERS, resamples=100, interval="percentile")
    assert other.difference == pytest.approx(row.difference)
    assert back.difference == pytest.approx(-row.difference)
    if row.ci95 is None:
        assert min(len({CLUSTERS[place] for place in np.flatnonzero(own)}) for own in (first, second)) < 3
    else:
        assert row.ci95[0] <= row.ci95[1]
        assert other.ci95 == pytest.approx(row.ci95, abs=1e-6)
        assert plain.ci95 == pytest.approx((-back.ci95[1], -back.ci95[0]))


def test_questions_of_neither_group_change_nothing():
    first, second = KIND == 0, KIND == 1
    kept = np.flatnonzero(KIND < 2)
    apart = compare_groups([GAIN[kept]], first[kept], second[kept], [CLUSTERS[place] for place in kept])
    assert compare_groups([GAIN], first, second, CLUSTERS) == apart
    assert compare_groups([GAIN], first, second, np.array(CLUSTERS)) == apart


def test_strata_are_drawn_apart():
    """One stratum has no spread in either group, and the other's clusters are all alike: no draw changes anything."""
    strata = ["a"] * 30 + ["b"] * 30
    clusters = [f"{stratum}{place % 15}" for place, stratum in enumerate(strata)]
    first = np.array([stratum == "a" for stratum in strata])
    (row,) = compare_groups([np.where(first, 1.0, 0.25)], first, ~first, clusters, strata=strata, resamples=100)
    assert (row.difference, row.ci95) == (0.75, (0.75, 0.75))


@pytest.mark.parametrize(
    ("first", "second", "part"),
    [
        ([True, True], [False, True], "is in both groups"),
        ([True], [False, True], "do not fit 2 questions"),
        ([True, True], [False, False], "has no questions"),
    ],
)
def test_groups_that_cannot_be(first, second, part):
    with pytest.raises(StatisticsError, match=part):
        compare_groups([[0.0, 1.0]], first, second, ["p", "q"])


def test_values_of_another_length():
    with pytest.raises(StatisticsError, match="3 values for 2 questions"):
        compare_groups([[0.0, 1.0, 2.0]], [True, False], [False, True], ["p", "q"])
