"""Sign-flips of whole clusters, exact and drawn, and the bootstrap rule."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.statistics import bootstrap_p, p_text, sign_flip
from ragtrial.statistics.permutation import sign_flip_sums

values = st.lists(st.integers(-20, 20).map(lambda x: x / 7), min_size=1, max_size=9)


@given(values)
def test_exact_walks_every_pattern(cluster_values):
    observed = abs(sum(cluster_values)) / len(cluster_values)
    patterns = list(itertools.product([-1, 1], repeat=len(cluster_values)))
    statistics = [abs(sum(s * v for s, v in zip(p, cluster_values, strict=True))) / len(p) for p in patterns]
    want = sum(x >= observed - 1e-12 * max(1.0, observed) for x in statistics) / len(patterns)
    assert sign_flip(cluster_values, range(len(cluster_values))) == want


def test_drawn_follows_the_stream_in_blocks_of_2000():
    generator = np.random.default_rng(11)
    question_values, clusters = generator.normal(0.1, 1.0, size=120), np.repeat(np.arange(40), 3)
    sums = question_values.reshape(40, 3).sum(axis=1)
    observed = abs(question_values.mean())
    stream, hits = np.random.default_rng(4), 0
    for _ in range(5):
        signs = 2 * stream.integers(0, 2, size=(2000, 40)) - 1
        hits += int((np.abs(signs @ sums) / 120 >= observed - 1e-12 * max(1.0, observed)).sum())
    assert sign_flip(question_values, clusters, seed=4) == (1 + hits) / 10_001


@pytest.mark.parametrize(
    ("clusters", "resamples", "exact"), [(13, 10_000, True), (14, 10_000, False), (20, 2**20, True)]
)
def test_exact_when_all_patterns_fit(clusters, resamples, exact):
    p = sign_flip(np.arange(1.0, clusters + 1), range(clusters), resamples=resamples)
    assert (p * 2**clusters).is_integer() is exact
    assert p == pytest.approx(2.0**-clusters * 2 if exact else 1 / (resamples + 1), abs=0 if exact else 1e-3)


def test_more_than_20_clusters_are_drawn_even_if_all_patterns_would_fit():
    p = sign_flip(np.ones(21), range(21), resamples=2**21, seed=1)
    assert (p * (2**21 + 1)) == pytest.approx(round(p * (2**21 + 1)), abs=1e-6)
    assert p >= 1 / (2**21 + 1)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=14, max_size=25), st.integers(0, 1000))
def test_p_is_a_probability_and_does_not_depend_on_the_sign(cluster_values, seed):
    clusters = range(len(cluster_values))
    p = sign_flip(cluster_values, clusters, resamples=200, seed=seed)
    assert 1 / 201 <= p <= 1.0
    assert sign_flip([-v for v in cluster_values], clusters, resamples=200, seed=seed) == p


def test_contrasts_share_the_signs():
    sums = np.random.default_rng(0).normal(size=(5, 30))
    together = sign_flip_sums(sums, 90, 500, 2)
    alone = [sign_flip_sums(row[np.newaxis], 90, 500, 2)[0] for row in sums]
    assert together.tolist() == alone


def test_no_difference_at_all_is_p_1():
    assert sign_flip(np.zeros(30), range(30)) == 1.0
    assert sign_flip(np.zeros(3), range(3)) == 1.0


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_bootstrap_rule(boot):
    n = len(boot)
    want = 2 * min(sum(x <= 0 for x in boot) / n, sum(x >= 0 for x in boot) / n)
    assert bootstrap_p(np.array(boot)) == pytest.approx(min(1.0, want))
    assert bootstrap_p(-np.array(boot)) == bootstrap_p(np.array(boot))


def test_p_values_are_never_printed_as_0():
    assert p_text(0.0, 10_000) == "< 0.0001"
    assert p_text(1 / 10_001, 10_000) == "< 0.0001"
    assert p_text(0.0, 250) == "< 0.004"
    assert p_text(0.0004, 10_000) == "0.0004"
    assert p_text(0.0573, 10_000) == "0.057"
