"""BCa against scipy's, its inverse, and intervals without width."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import cluster_bootstrap, compare, normal
from ragtrial.statistics.intervals import Correction, bias, interval, share_below
from ragtrial.statistics.ratio import acceleration, standard_error

corrections = st.builds(Correction, st.floats(-1.5, 1.5), st.floats(-0.16, 0.16))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_single_question_clusters_equal_scipy(seed, kind):
    """scipy draws its indices with the same call on the same generator, so not only the formulas are compared."""
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(100 + seed).exponential(size=60) - 0.9
    method = {"bca": "BCa", "percentile": "percentile"}[kind]
    for confidence, ours in ((0.90, "ci90"), (0.95, "ci95")):
        theirs = stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=2000,
            confidence_level=confidence,
            method=method,
            rng=np.random.default_rng(seed),
        )
        row = compare(values, np.zeros(60), range(60), interval=kind, resamples=2000, seed=seed)
        assert getattr(row, ours) == pytest.approx(tuple(theirs.confidence_interval), rel=0, abs=1e-12)
    boot = cluster_bootstrap(values, range(60), resamples=2000, seed=seed)
    assert boot == pytest.approx(theirs.bootstrap_distribution, rel=0, abs=1e-13)


def test_normal_distribution_is_exact_enough():
    special = pytest.importorskip("scipy.special")
    shares = np.concatenate([np.linspace(1e-5, 1 - 1e-5, 997), [1 / 10_001, 10_000 / 10_001]])
    ours = np.array([normal.quantile(float(share)) for share in shares])
    assert np.abs(ours - special.ndtri(shares)).max() < 4e-15
    z = np.linspace(-9, 9, 1001)
    ours = np.array([normal.cdf(float(value)) for value in z])
    assert np.abs(ours - special.ndtr(z)).max() < 1e-15
    assert np.abs(ours / special.ndtr(z) - 1).max() < 1e-13
    assert (normal.cdf(math.inf), normal.cdf(-math.inf)) == (1.0, 0.0)
    assert normal.quantile(0.3) == statistics.NormalDist().inv_cdf(0.3)


@given(corrections, st.floats(-3, 3))
def test_quantile_inverts_level(correction, z):
    level = correction.level(z)
    if 1e-9 < level < 1 - 1e-9:
        assert correction.quantile(level) == pytest.approx(z, abs=1e-6)


@given(corrections, st.floats(-8, 8), st.floats(-8, 8))
def test_levels_keep_their_order(correction, one, other):
    low, high = sorted((one, other))
    assert 0.0 <= correction.level(low) <= correction.level(high) <= 1.0


def test_past_the_pole_the_level_is_a_limit():
    assert Correction(4.7, 0.16).level(1.96) == 1.0
    assert Correction(-4.7, -0.16).level(-1.96) == 0.0
    assert Correction(4.0, 0.16).quantile(1e-4) == -math.inf
    assert Correction(-4.0, -0.16).quantile(1 - 1e-4) == math.inf


def test_no_correction_is_the_percentile_interval():
    boot = np.random.default_rng(0).normal(size=999)
    low, high = interval(boot, 0.0, Correction(0.0, 0.0), 0.9)
    assert (low, high) == tuple(np.quantile(boot, [0.05, 0.95]))


def test_a_bootstrap_without_width_is_a_point():
    boot = np.full(50, 0.1 + 0.2)
    boot[::2] = 0.3
    assert interval(boot, 0.3, Correction(0.4, 0.1), 0.95) == (0.3, 0.3)
    row = compare([0.4] * 30, [0.1] * 30, range(30))
    assert row.ci95 == row.ci90 == (row.difference, row.difference)
    assert row.verdict == "different"
    assert row.notes == ("Every cluster shows the same difference, so the interval has no width.",)


def test_share_below_counts_half_of_the_ties_and_is_clipped():
    boot = np.array([1.0, 2.0, 2.0, 5.0])
    assert share_below(boot, 2.0) == 0.5
    assert share_below(boot, 0.0) == 1 / 5
    assert share_below(boot, 9.0) == 4 / 5
    assert bias(boot, 9.0) == normal.quantile(0.8)


def test_acceleration_of_a_ratio_by_hand():
    sums, counts = np.array([3.0, 0.0, 1.0, 0.5]), np.array([4.0, 1.0, 2.0, 1.0])
    left_out = [(4.5 - s) / (8 - n) for s, n in zip(sums, counts, strict=True)]
    d = [sum(left_out) / 4 - value for value in left_out]
    want = sum(x**3 for x in d) / (6 * sum(x**2 for x in d) ** 1.5)
    assert acceleration(sums, counts) == pytest.approx(want, rel=1e-13)
    assert acceleration(sums[:2], counts[:2]) == 0.0
    assert acceleration(counts * 0.1, counts) == 0.0


def test_standard_error_equals_the_cluster_robust_one_of_statsmodels():
    api = pytest.importorskip("statsmodels.regression.linear_model")
    generator = np.random.default_rng(2)
    values, clusters = generator.normal(size=80), np.sort(generator.integers(0, 17, size=80))
    fit = api.OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    sums, counts = np.bincount(clusters, weights=values), np.bincount(clusters).astype(float)
    assert standard_error(sums, counts) == pytest.approx(fit.bse[0], rel=1e-12)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_none(confidence):
    with pytest.raises(StatisticsError, match="not between 0 and 1"):
        interval(np.arange(10.0), 4.5, Correction(0.0, 0.0), confidence)
