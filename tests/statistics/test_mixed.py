"""The mixed model, and that it is as conservative as it is said to be."""

import sys

import numpy as np
import pytest

from ragtrial.errors import MissingExtraError, StatisticsError
from ragtrial.statistics import compare, mixed_model


@pytest.fixture
def trial():
    """Questions differ much, arms differ little and steadily."""
    generator = np.random.default_rng(8)
    papers = np.repeat(np.arange(60), 3)
    b = generator.normal(0, 0.1, 60)[papers] + generator.normal(0.5, 0.3, 180)
    return b + generator.normal(0.02, 0.03, 180), b, papers


def test_coefficient_and_conservatism(trial):
    pytest.importorskip("statsmodels")
    fit, row = mixed_model(*trial), compare(*trial)
    assert fit.converged
    assert fit.coefficient == pytest.approx(row.difference, abs=1e-9)
    assert fit.se > 3 * row.se
    assert fit.p > 0.05 > row.p_bootstrap
    assert fit.ci95[0] < 0 < fit.ci95[1]
    assert row.verdict == "different"


def test_against_the_formula_interface(trial):
    api = pytest.importorskip("statsmodels.formula.api")
    frames = pytest.importorskip("pandas")
    a, b, papers = trial
    table = frames.DataFrame(
        {"score": np.concatenate([a, b]), "arm": np.repeat([1.0, 0.0], 180), "paper": np.tile(papers, 2)}
    )
    theirs = api.mixedlm("score ~ arm", table, groups=table["paper"]).fit()
    ours = mixed_model(a, b, papers)
    assert (ours.coefficient, ours.se, ours.p) == pytest.approx(
        (theirs.params["arm"], theirs.bse["arm"], theirs.pvalues["arm"]), rel=1e-6
    )


def test_names_the_extra(monkeypatch, trial):
    monkeypatch.setitem(sys.modules, "statsmodels.regression.mixed_linear_model", None)
    with pytest.raises(MissingExtraError, match=r"statsmodels, which is not installed. .*ragtrial\[stats\]"):
        mixed_model(*trial)


@pytest.mark.parametrize(
    ("a", "b", "clusters", "message"),
    [
        ([0.1, 0.2], [0.1], ["p", "q"], "A has 2 scores and B has 1"),
        ([0.1, 0.2], [0.1, 0.3], ["p"], "1 cluster labels for 2 questions"),
        ([0.1, 0.2], [0.1, 0.3], ["p", "p"], "at least two clusters"),
        ([0.5, 0.5], [0.5, 0.5], ["p", "q"], "scores that differ"),
    ],
)
def test_refusals(a, b, clusters, message):
    with pytest.raises(StatisticsError, match=message):
        mixed_model(a, b, clusters)
