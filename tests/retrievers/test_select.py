"""The best k must be what a stable sort of everything gives, ties and all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.retrievers.select import best_first

FEW_LEVELS = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
SCORES = st.lists(FEW_LEVELS, max_size=400) | st.lists(st.floats(-10, 10), max_size=400)


@given(SCORES, st.integers(1, 12))
def test_best_first_is_the_head_of_a_stable_sort(values: list[float], k: int):
    scores = np.array(values, dtype=np.float64)
    expected = sorted(range(len(values)), key=lambda position: -values[position])
    assert best_first(scores, k).tolist() == expected[:k]
    assert best_first(scores).tolist() == expected


@pytest.mark.parametrize("k", [1, 10, 100])
@pytest.mark.parametrize("levels", [1, 2, 50, 10**9])
@pytest.mark.parametrize("arranged", ["random", "rising", "falling"])
def test_best_first_of_many(k: int, levels: int, arranged: str):
    scores = np.random.default_rng(7).integers(0, levels, 20_011).astype(np.float64)
    if arranged != "random":
        scores.sort()
    if arranged == "falling":
        scores = scores[::-1].copy()
    assert best_first(scores, k).tolist() == np.argsort(-scores, kind="stable")[:k].tolist()


def test_few_matches_among_zeros_are_followed_by_the_first_zeros():
    scores = np.zeros(10_000)
    scores[[9_000, 70]] = 1.0, 2.0
    assert best_first(scores, 5).tolist() == [70, 9_000, 0, 1, 2]


@pytest.mark.parametrize("k", [0, -3])
def test_a_depth_below_one_is_refused(k: int):
    with pytest.raises(UsageError, match=f"at least 1 chunk, not {k}"):
        best_first(np.ones(3), k)
