"""TOST and non-inferiority: the inversion says the same as the interval, the t version as textbook formulas."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import MissingExtraError, StatisticsError
from ragtrial.statistics import compare, tost_t


@st.composite
def trials(draw):
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.integers(12, 60))
    clusters = generator.integers(0, draw(st.integers(4, 25)), size=n)
    a = np.round(generator.random(n) + draw(st.floats(-0.1, 0.1)), 2)
    return a, np.round(generator.random(n), 2), clusters


@settings(max_examples=60, deadline=None)
@given(trials(), st.floats(0.01, 0.6), st.sampled_from(["bca", "percentile"]))
def test_inversion_agrees_with_the_90_percent_interval(trial, margin, kind):
    row = compare(*trial, margin=margin, interval=kind, resamples=400)
    if row.ci90 is None:
        assert row.p_tost is None
        return
    low, high = row.ci90
    gap = min(abs(low + margin), abs(high - margin))
    if gap > 0.02:  # nearer than that, half ties and linear quantiles may differ by one replicate
        assert (row.p_tost < 0.05) == (-margin < low and high < margin)
        assert (row.p_non_inferior < 0.05) == (low > -margin)
    assert 0.0 <= row.p_non_inferior <= row.p_tost <= 1.0


@settings(max_examples=30, deadline=None)
@given(trials())
def test_a_wider_margin_never_has_a_larger_p(trial):
    p = [compare(*trial, margin=margin, resamples=200).p_tost for margin in (0.02, 0.1, 0.5)]
    assert p[0] is None or p[0] >= p[1] >= p[2]


def test_t_version_with_single_question_clusters_is_the_textbook_one():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(0).normal(0.01, 0.1, size=40)
    test = tost_t(values, range(40), 0.05)
    above = stats.ttest_1samp(values, -0.05, alternative="greater").pvalue
    below = stats.ttest_1samp(values, 0.05, alternative="less").pvalue
    assert (test.above, test.below) == pytest.approx((above, below), rel=1e-10)
    assert test.p == max(test.above, test.below)


def test_t_version_and_inversion_agree_on_many_clusters():
    pytest.importorskip("scipy")
    generator = np.random.default_rng(4)
    clusters = np.repeat(np.arange(200), 3)
    a = 0.5 + generator.normal(0, 0.1, 200)[clusters] + generator.normal(0, 0.2, 600)
    row = compare(a, np.full(600, 0.49), clusters, margin=0.03)
    assert tost_t(a - 0.49, clusters, 0.03).p == pytest.approx(row.p_tost, abs=0.02)


def test_t_version_without_spread():
    assert tost_t([0.01] * 4, range(4), 0.05).p == 0.0
    assert tost_t([0.5] * 4, range(4), 0.05).p == 1.0


def test_t_version_refuses_one_cluster():
    with pytest.raises(StatisticsError, match="at least two clusters"):
        tost_t([0.1, 0.2], ["p", "p"], 0.05)


def test_t_version_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtraError, match=r"scipy, which is not installed. .*ragtrial\[stats\]"):
        tost_t([0.1, 0.2, 0.0], range(3), 0.05)


@pytest.mark.parametrize("margin", [0.0, -0.05, float("nan"), float("inf")])
def test_a_margin_that_is_none(margin):
    with pytest.raises(StatisticsError, match="not a positive number"):
        compare([0.1, 0.2, 0.3], [0.1, 0.1, 0.1], range(3), margin=margin)


def test_non_inferiority_is_one_sided():
    a = np.full(40, 0.9) + np.linspace(-0.02, 0.02, 40)
    row = compare(a, np.full(40, 0.5), range(40), margin=0.02, test="non-inferiority")
    assert row.verdict == "non-inferior"
    assert row.p_non_inferior < 0.001 < 0.99 < row.p_tost
    other_way = compare(np.full(40, 0.5), a, range(40), margin=0.02, test="non-inferiority")
    assert (other_way.verdict, other_way.direction) == ("different", "B")
