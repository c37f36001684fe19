"""The random stream, the blocks, ties, strata."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import bootstrap, cluster_bootstrap, permutation
from ragtrial.statistics.bootstrap import replicates, row_blocks
from ragtrial.statistics.clusters import group
from ragtrial.statistics.ratio import ratio_mean


def plain_loop(values, clusters, strata, resamples, seed):
    """The definition of METHODS section 6 in plain Python, one drawn cluster at a time."""
    order, sums, counts, stratum_of = [], {}, {}, {}
    for value, cluster, stratum in zip(values, clusters, strata, strict=True):
        if cluster not in sums:
            order.append(cluster)
            sums[cluster], counts[cluster], stratum_of[cluster] = 0.0, 0, stratum
        sums[cluster] += value
        counts[cluster] += 1
    generator = np.random.default_rng(seed)
    top, bottom = [0.0] * resamples, [0] * resamples
    for stratum in sorted(set(strata)):
        members = [cluster for cluster in order if stratum_of[cluster] == stratum]
        draws = generator.integers(0, len(members), size=(resamples, len(members)))
        for resample in range(resamples):
            for place in draws[resample]:
                top[resample] += sums[members[place]]
                bottom[resample] += counts[members[place]]
    return np.array(top) / np.array(bottom)


@pytest.fixture
def trial():
    generator = np.random.default_rng(7)
    clusters = generator.integers(0, 23, size=90).tolist()
    strata = ["zebra" if cluster % 3 == 0 else "ant" if cluster % 3 == 1 else "Moth" for cluster in clusters]
    return generator.normal(size=90), clusters, strata


def test_unstratified_equals_a_plain_loop(trial):
    values, clusters, _ = trial
    want = plain_loop(values, clusters, [0] * 90, 300, 3)
    assert cluster_bootstrap(values, clusters, resamples=300, seed=3) == pytest.approx(want, rel=0, abs=1e-13)


def test_stratified_equals_a_plain_loop(trial):
    values, clusters, strata = trial
    want = plain_loop(values, clusters, strata, 300, 3)
    got = cluster_bootstrap(values, clusters, strata=strata, resamples=300, seed=3)
    assert got == pytest.approx(want, rel=0, abs=1e-13)
    assert not np.allclose(got, cluster_bootstrap(values, clusters, resamples=300, seed=3))


@settings(max_examples=40, deadline=None)
@given(
    clusters=st.integers(1, 3000),
    rows=st.integers(1, 40),
    cells=st.integers(1, 20_000),
    seed=st.integers(0, 2**32),
)
def test_integers_in_row_blocks_are_one_call(clusters, rows, cells, seed):
    whole = np.random.default_rng(seed).integers(0, clusters, size=(rows, clusters))
    stream = np.random.default_rng(seed)
    blocks = [
        stream.integers(0, clusters, size=(part.stop - part.start, clusters))
        for part in row_blocks(rows, clusters, cells)
    ]
    assert np.array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize("cells", [1, 100, 1000])
@pytest.mark.parametrize("stratified", [False, True])
def test_block_size_changes_nothing(trial, monkeypatch, cells, stratified):
    values, clusters, strata = trial
    strata = strata if stratified else None
    want = cluster_bootstrap(values, clusters, strata=strata, resamples=200)
    flips = permutation.sign_flip(values, clusters, resamples=200)

    def small_blocks(rows, columns, _=None):
        return row_blocks(rows, columns, cells)

    monkeypatch.setattr(bootstrap, "row_blocks", small_blocks)
    monkeypatch.setattr(permutation, "row_blocks", small_blocks)
    got = cluster_bootstrap(values, clusters, strata=strata, resamples=200)
    assert got == pytest.approx(want, rel=0, abs=1e-15)
    assert permutation.sign_flip(values, clusters, resamples=200) == flips


def test_ties_are_those_of_sums_added_in_the_order_of_the_draw():
    """Thirds do not add up to the same bits in every order; the shortcut through counts must not decide ties."""
    generator = np.random.default_rng(5)
    values = generator.integers(-3, 4, size=(40, 60)) / 3.0
    clusters = generator.integers(0, 12, size=60)
    grouped = group(clusters)
    sums = grouped.sums(values)
    points = np.array([[ratio_mean(row, grouped.counts), 0.0] for row in sums])
    boot = replicates(grouped, sums, points, 500, 0)
    drawn = np.random.default_rng(0).integers(0, grouped.n_clusters, size=(500, grouped.n_clusters))
    settled = 0
    for row, replicate, watched in zip(sums, boot, points, strict=True):
        want = row[drawn].sum(axis=1) / grouped.counts[drawn].sum(axis=1)
        assert replicate == pytest.approx(want, rel=0, abs=1e-14)
        for value in watched:
            close = np.abs(want - value) < 1e-12
            settled += int(close.sum())
            assert np.array_equal(replicate[close], want[close])
    assert settled > 100


def test_draws_are_shared_by_all_contrasts(trial):
    values, clusters, strata = trial
    grouped = group(clusters, strata)
    sums = grouped.sums(np.array([values, -2.0 * values, np.zeros(90)]))
    one, other, nothing = replicates(grouped, sums, np.zeros((3, 1)), 100, 0)
    assert other == pytest.approx(-2.0 * one, rel=1e-13)
    assert not nothing.any()


def test_too_few_resamples_are_refused():
    with pytest.raises(StatisticsError, match="39 resamples cannot give a 95% interval"):
        cluster_bootstrap([1.0, 2.0], ["a", "b"], resamples=39)


@pytest.mark.parametrize(
    ("clusters", "strata", "message"),
    [
        ([], None, "no questions"),
        (["a", None], None, "Question 1 .* has no cluster"),
        ([1.0, float("nan")], None, "Question 1 .* has no cluster"),
        (["a", "b"], ["x"], "2 cluster labels and 1 stratum labels"),
        (["a", "a"], ["x", "y"], "Cluster 'a' lies in two strata, 'x' and 'y'"),
        (["a", "b"], ["x", 1], "cannot be sorted"),
        (["a", "b"], ["x", None], "Question 1 .* has no stratum"),
    ],
)
def test_labels_that_cannot_be_grouped(clusters, strata, message):
    with pytest.raises(StatisticsError, match=message):
        group(clusters, strata)


def test_clusters_are_numbered_by_first_appearance():
    grouped = group(["z", "a", "z", "m"])
    assert grouped.codes.tolist() == [0, 1, 0, 2]
    assert grouped.counts.tolist() == [2.0, 1.0, 1.0]
    strata = group(["z", "a", "z", "m"], ["s2", "s1", "s2", "s1"]).strata
    assert [members.tolist() for members in strata] == [[1, 2], [0]]


def test_values_and_clusters_of_unequal_length():
    with pytest.raises(StatisticsError, match="3 values for 2 clustered questions"):
        cluster_bootstrap([1.0, 2.0, 3.0], ["a", "b"])
