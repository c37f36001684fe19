"""Dose-response slopes."""

import numpy as np
import pytest

from ragtrial.errors import StatisticsError
from ragtrial.statistics import cluster_bootstrap, dose_response
from ragtrial.statistics.slope import question_slopes


@pytest.fixture
def scores():
    generator = np.random.default_rng(3)
    return generator.random(80) + np.outer([0.0, 0.02, 0.03, 0.03], np.ones(80)) + generator.normal(0, 0.05, (4, 80))


def test_each_question_by_least_squares(scores):
    want = [np.polyfit([0, 1, 2, 3], scores[:, question], 1)[0] for question in range(80)]
    assert question_slopes(scores, [0, 1, 2, 3]) == pytest.approx(want, abs=1e-12)


def test_the_mean_slope_is_that_of_the_pooled_regression(scores):
    clusters = np.repeat(np.arange(20), 4)
    result = dose_response(scores, [0, 1, 2, 3], clusters)
    pooled = np.polyfit(np.repeat([0, 1, 2, 3], 80), scores.ravel(), 1)[0]
    assert result.slope == pytest.approx(pooled, abs=1e-12)
    boot = cluster_bootstrap(question_slopes(scores, [0, 1, 2, 3]), clusters)
    assert result.ci95 == pytest.approx(tuple(np.quantile(boot, [0.025, 0.975])), abs=1e-12)
    assert result.p_bootstrap == pytest.approx(2 * min((boot <= 0).mean(), (boot >= 0).mean()))
    assert result.means == pytest.approx(scores.mean(axis=1))
    assert (result.n, result.n_clusters) == (80, 20)


def test_doses_in_another_order_or_shifted_change_nothing(scores):
    clusters = np.repeat(np.arange(20), 4)
    one = dose_response(scores, [0, 1, 2, 3], clusters, resamples=100)
    other = dose_response(scores[::-1], [13, 12, 11, 10], clusters, resamples=100)
    assert other.slope == pytest.approx(one.slope, abs=1e-14)
    assert other.ci95 == pytest.approx(one.ci95, abs=1e-14)


@pytest.mark.parametrize(
    ("doses", "message"), [([1, 1, 1, 1], "at least two different doses"), ([0, 1, 2], "for 3 doses")]
)
def test_refusals(scores, doses, message):
    with pytest.raises(StatisticsError, match=message):
        dose_response(scores, doses, range(80))


def test_missing_scores_are_refused(scores):
    scores[2, 5] = np.nan
    with pytest.raises(StatisticsError, match="Question 5"):
        dose_response(scores, [0, 1, 2, 3], range(80))
