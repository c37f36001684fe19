"""The front door: what it returns, what it refuses, how it shares draws."""

import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import Paired, cohens_dz, compare, compare_many, minimum_detectable_effect


def a_trial(seed, n=120, clusters=40, shift=0.0):
    generator = np.random.default_rng(seed)
    documents = generator.integers(0, clusters, size=n)
    a = generator.integers(0, 4, size=n) / 3.0 + shift
    return a, generator.integers(0, 4, size=n) / 3.0, [f"doc-{document}" for document in documents]


def test_fields_of_a_comparison():
    a, b, documents = a_trial(0)
    row = compare(a, b, documents, margin=0.1)
    assert (row.test, row.margin, row.interval, row.resamples, row.seed) == ("equivalence", 0.1, "bca", 10_000, 0)
    assert row.n == 120
    assert row.n_clusters == len(set(documents))
    assert row.difference == pytest.approx(row.mean_a - row.mean_b, abs=1e-14)
    assert row.dz == cohens_dz(a - b)
    assert row.mde == minimum_detectable_effect(row.se)
    assert row.wins + row.ties + row.losses == 120
    assert row.ci95[0] <= row.ci90[0] <= row.ci90[1] <= row.ci95[1]
    assert row.p_tost == row.p_margin
    assert row.printed == (90, row.ci90)
    assert row.notes == ()
    two_sided = compare(a, b, documents)
    assert (two_sided.test, two_sided.p_tost, two_sided.p_margin) == ("difference", None, None)
    assert two_sided.printed == (95, two_sided.ci95)
    assert two_sided.ci95 == row.ci95


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["bca", "percentile"]), st.floats(-0.3, 0.3))
def test_swapping_the_arms_mirrors_everything(seed, kind, shift):
    a, b, documents = a_trial(seed, n=50, clusters=15, shift=round(shift, 2))
    one = compare(a, b, documents, margin=0.1, interval=kind, resamples=200)
    other = compare(b, a, documents, margin=0.1, interval=kind, resamples=200)
    assert other.difference == -one.difference
    assert other.ci95 == pytest.approx((-one.ci95[1], -one.ci95[0]), abs=1e-12)
    assert other.z0 == pytest.approx(-one.z0, abs=1e-12)
    assert other.acceleration == pytest.approx(-one.acceleration, abs=1e-12)
    assert (other.p_sign_flip, other.p_bootstrap) == (one.p_sign_flip, one.p_bootstrap)
    assert other.p_tost == pytest.approx(one.p_tost, abs=1e-12)
    assert (other.wins, other.ties, other.losses) == (one.losses, one.ties, one.wins)
    assert (other.verdict, other.remark) == (one.verdict, one.remark)
    assert {one.direction, other.direction} in ({"A", "B"}, {"neither"})
    for p in (one.p_sign_flip, one.p_bootstrap, one.p_tost, one.p_non_inferior):
        assert 0.0 <= p <= 1.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.1, 10), st.floats(-5, 5))
def test_scale_and_shift(seed, scale, shift):
    """Another unit scales the interval; a constant added to both arms changes nothing."""
    a, b, documents = a_trial(seed, n=50, clusters=15)
    a = a + np.random.default_rng(seed).normal(size=50)  # no ties, whose rounding a change of unit may turn
    one = compare(a, b, documents, resamples=200)
    other = compare(a * scale + shift, b * scale + shift, documents, resamples=200)
    assert other.ci95 == pytest.approx((one.ci95[0] * scale, one.ci95[1] * scale), abs=1e-9)
    assert other.dz == pytest.approx(one.dz, abs=1e-9)
    assert other.p_sign_flip == one.p_sign_flip


def test_percentile_limits_are_replicates_around_the_point():
    a, b, documents = a_trial(3)
    row = compare(a, b, documents, interval="percentile")
    assert row.ci95[0] < row.difference < row.ci95[1]
    assert row.z0 == compare(a, b, documents).z0


def test_strata_narrow_an_interval_when_they_explain_the_differences():
    generator = np.random.default_rng(0)
    domain = np.repeat(["angular", "laravel"], 40)
    a = np.where(domain == "laravel", 1.0, 0.0) + generator.normal(0, 0.1, 80)
    plain = compare(a, np.zeros(80), range(80))
    stratified = compare(a, np.zeros(80), range(80), strata=domain)
    width = lambda row: row.ci95[1] - row.ci95[0]  # noqa: E731
    assert width(stratified) < width(plain) / 3
    assert stratified.difference == plain.difference


def test_many_equal_one_by_one():
    """Some pairs share clusters by identity, some by equality, some have other questions, strata or margins."""
    a, b, documents = a_trial(1)
    strata = [document[-1] for document in documents]
    pairs = [
        Paired(a, b, documents, margin=0.1),
        Paired(b, a, list(documents)),
        Paired(a[:50], b[:50], documents[:50]),
        Paired(a, b[::-1], documents, strata=strata, margin=0.2, test="non-inferiority"),
        Paired(a, b[::-1], np.array(documents), strata=strata),
        Paired(a, a, documents, margin=0.1),
        Paired([0.1], [0.2], ["x"]),
    ]
    many = compare_many(pairs, resamples=500, seed=9)
    for pair, row in zip(pairs, many, strict=True):
        alone = compare(
            pair.a,
            pair.b,
            pair.clusters,
            strata=pair.strata,
            margin=pair.margin,
            test=pair.test,
            resamples=500,
            seed=9,
        )
        for field, value in asdict(alone).items():
            got = getattr(row, field)
            if isinstance(value, float | tuple) and field != "notes":
                assert got == pytest.approx(value, rel=0, abs=1e-12), field
            else:
                assert got == value, field
    assert compare_many([]) == ()


def test_sixty_contrasts_draw_once(monkeypatch):
    a, b, documents = a_trial(2)
    drawn = []
    make = np.random.default_rng

    class Counting:
        def __init__(self, seed):
            self._generator = make(seed)
            self.bit_generator = self._generator.bit_generator

        def integers(self, low, high, size):
            drawn.append(int(np.prod(size)))
            return self._generator.integers(low, high, size=size)

    monkeypatch.setattr(np.random, "default_rng", Counting)
    compare_many([Paired(np.roll(a, i), b, documents) for i in range(60)], resamples=200)
    assert sum(drawn) == 2 * 200 * len(set(documents))


def test_the_same_inputs_give_the_same_result():
    a, b, documents = a_trial(4)
    assert compare(a, b, documents, margin=0.1) == compare(a, b, documents, margin=0.1)
    assert compare(a, b, documents).ci95 != compare(a, b, documents, seed=1).ci95


@pytest.mark.parametrize("clusters", [1, 2])
def test_under_three_clusters_there_is_no_interval(clusters):
    row = compare([0.4, 0.5, 0.9, 0.7], [0.1, 0.2, 0.3, 0.1], [i % clusters for i in range(4)], margin=0.1)
    assert row.verdict == "cannot say"
    assert row.notes == (f"No interval: {clusters} of the 3 clusters that one needs.",)
    absent = (row.ci90, row.ci95, row.z0, row.acceleration, row.se, row.p_tost, row.p_bootstrap, row.mde, row.printed)
    assert absent == (None,) * 9
    assert row.difference == pytest.approx(0.45)
    assert row.p_sign_flip == 2.0 ** (1 - clusters)


@pytest.mark.parametrize(("clusters", "warned"), [(3, True), (19, True), (20, False)])
def test_few_clusters_are_warned_of(clusters, warned):
    a, b, _ = a_trial(5, n=60)
    row = compare(a, b, np.arange(60) % clusters, resamples=100)
    assert row.ci95 is not None
    assert any(f"Only {clusters} clusters" in note for note in row.notes) is warned


def test_identical_arms():
    row = compare([0.5, 0.2, 0.9] * 10, [0.5, 0.2, 0.9] * 10, range(30), margin=0.05)
    assert (row.difference, row.ci95, row.verdict, row.direction) == (0.0, (0.0, 0.0), "equivalent", "neither")
    assert (row.p_sign_flip, row.p_bootstrap, row.dz) == (1.0, 1.0, None)
    assert row.notes == ("Both arms score the same on every question.",)


@pytest.mark.parametrize(
    ("a", "b", "clusters", "options", "message"),
    [
        ([0.1, float("nan")], [0.1, 0.2], [1, 2], {}, r"Question 1 .* no finite score under A: nan; 1 of 2"),
        ([0.1, 0.2], [float("inf"), 0.2], [1, 2], {}, "Question 0 .* under B: inf"),
        ([0.1], [0.1, 0.2], [1, 2], {}, "A has 1 scores and B has 2"),
        ([0.1, 0.2], [0.1, 0.2], [1, 2, 3], {}, "2 values for 3 clustered questions"),
        ([], [], [], {}, "no questions"),
        ([[0.1, 0.2]], [[0.1, 0.2]], [1, 2], {}, r"A have shape \(1, 2\)"),
        (["high", "low"], [0.1, 0.2], [1, 2], {}, "scores of A are not numbers"),
        ([0.1, 0.2], [0.1, 0.2], [[1], [2]], {}, "not single values"),
        ([0.1, 0.2], [0.1, 0.2], [1, 2], {"interval": "basic"}, "no interval 'basic'"),
        ([0.1, 0.2], [0.1, 0.2], [1, 2], {"resamples": 10}, "10 resamples"),
        ([0.1, 0.2], [0.1, 0.2], [1, 2], {"test": "equivalence"}, "no margin"),
        ([0.1, 0.2], [0.1, 0.2], [1, 2], {"test": "superiority"}, "no test 'superiority'"),
    ],
)
def test_refusals(a, b, clusters, options, message):
    with pytest.raises(StatisticsError, match=message) as caught:
        compare(a, b, clusters, **options)
    assert caught.value.hint


@pytest.mark.slow
def test_memory_at_100_000_questions():
    generator = np.random.default_rng(0)
    a, b, questions = generator.random(100_000), generator.random(100_000), np.arange(100_000)
    tracemalloc.start()
    try:
        compare(a, b, questions, margin=0.05, resamples=400)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 * 2**20
