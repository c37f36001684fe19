"""The published and derived numbers of the pilot, and the small published cases."""

import json

import numpy as np
import pytest

from ragtrial.statistics import compare, holm, kappa, sign_flip, spearman, tost_t

EXACT = {"rel": 0, "abs": 1e-12}


@pytest.fixture(scope="module")
def pilot(shared):
    return json.loads(shared("oracles/pilot-per-question.json").read_text())["values"]


@pytest.fixture(scope="module")
def published(shared):
    return json.loads(shared("oracles/published.json").read_text())["MDK"]


def rows_with_arrays(shared, pilot):
    rows = json.loads(shared("oracles/pilot-statistics.json").read_text())
    return [row for row in rows if row["a"] in pilot and row["b"] in pilot]


def arrays(pilot, row):
    a, b = pilot[row["a"]], pilot[row["b"]]
    assert list(a) == list(b)
    papers = [paper for paper, values in a.items() for _ in values]
    return np.concatenate(list(a.values())), np.concatenate(list(b.values())), papers


def test_pilot_rows_to_the_last_digits(shared, pilot):
    rows = rows_with_arrays(shared, pilot)
    assert len(rows) >= 3
    for row in rows:
        want, derived = row["published"], row["derived"]
        a, b, papers = arrays(pilot, row)
        bca = compare(a, b, papers, margin=derived["margin"])
        assert (bca.n, bca.n_clusters) == (79, 30)
        assert bca.difference == pytest.approx(want["diff"], **EXACT)
        assert bca.z0 == pytest.approx(derived["z0"], **EXACT)
        assert bca.acceleration == pytest.approx(derived["accel"], **EXACT)
        assert bca.ci90 == pytest.approx(derived["ci90_bca"], **EXACT)
        assert bca.ci95 == pytest.approx(derived["ci95_bca"], **EXACT)
        assert bca.p_tost == pytest.approx(derived["p_tost_bca"], **EXACT)
        assert bca.p_sign_flip == pytest.approx(derived["p_signflip_v2"], **EXACT)
        percentile = compare(a, b, papers, interval="percentile")
        assert percentile.ci95 == pytest.approx((want["ci95lo"], want["ci95hi"]), **EXACT)
        assert percentile.ci90 == pytest.approx((want["ci90lo"], want["ci90hi"]), **EXACT)


def test_pilot_enrichment_is_inconclusive_as_the_paper_says(shared, pilot):
    """Mangla 2026, pilot: the 90% interval [-7.6, +3.2] does not fit inside 5 points."""
    row = {"a": "hybrid | headers + enriched", "b": "hybrid | headers + path"}
    percentile = compare(*arrays(pilot, row), margin=0.05, interval="percentile")
    assert [round(100 * limit, 1) for limit in percentile.ci90] == [-7.6, 3.2]
    assert percentile.verdict == "inconclusive"
    assert compare(*arrays(pilot, row), margin=0.05).verdict == "inconclusive"


def test_holm(published):
    assert holm(published["holm"]["p"]) == pytest.approx(published["holm"]["adj"], **EXACT)


def test_exact_sign_flip(published):
    values = published["sign_flip_exact"]["clusters"]
    assert sign_flip(values, range(len(values))) == published["sign_flip_exact"]["p"]


def test_kappa_of_a_two_by_two_table(published):
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(first, second) == pytest.approx(published["kappa_2x2_20_5_10_15"], **EXACT)


def test_spearman_with_ties(published):
    x, y, rho = published["spearman"]
    assert spearman(x, y) == pytest.approx(rho, **EXACT)


def test_t_distribution_through_tost(published):
    """Eleven clusters of one question: the one-sided p-value is the t distribution with 10 degrees of freedom."""
    pytest.importorskip("scipy")
    for t, freedom, share in published["t_cdf"]:
        values = np.linspace(-1.0, 1.0, freedom + 1)
        se = values.std(ddof=1) / np.sqrt(freedom + 1)
        margin = abs(t) * se
        p = tost_t(values, range(freedom + 1), margin).p
        assert p == pytest.approx(min(share, 1 - share), abs=1e-9)
