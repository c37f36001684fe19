"""A permutation that leaves as few items in their group as there can be."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.prefixes.derangement import derange

groupings = st.lists(st.integers(0, 5), max_size=40) | st.lists(st.sampled_from([0, 0, 0, 1, 2]), max_size=40)


def stuck(groups, given):
    return sum(groups[item] == groups[other] for item, other in enumerate(given))


@given(groupings, st.integers(0, 1000))
def test_it_is_a_permutation_with_the_fewest_in_their_group(groups, seed):
    array = np.array(groups, dtype=np.int64)
    result = derange(array, np.random.default_rng(seed)).tolist()
    assert sorted(result) == list(range(len(groups)))
    # A group of c among n fills n - c foreign places at most.
    fewest = sum(max(2 * count - len(groups), 0) for count in Counter(groups).values())
    assert stuck(groups, result) == fewest
    assert derange(array, np.random.default_rng(seed)).tolist() == result


def test_two_items_of_two_groups_change_places():
    for seed in range(20):
        assert derange(np.array([0, 1]), np.random.default_rng(seed)).tolist() == [1, 0]


def test_the_seed_decides():
    groups = np.repeat(np.arange(50), 4)
    first, second = (derange(groups, np.random.default_rng(seed)).tolist() for seed in (0, 1))
    assert first != second


def test_hundred_thousand_items_also_with_a_group_of_almost_half():
    even = np.repeat(np.arange(1600, dtype=np.int64), 63)
    assert not (even == even[derange(even, np.random.default_rng(0))]).any()
    half = np.where(np.arange(100_000) < 50_000, 0, 1 + np.arange(100_000) % 900).astype(np.int64)
    assert not (half == half[derange(half, np.random.default_rng(0))]).any()
