"""Two parts of a ranking under each other: nothing rises, nothing changes places."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.retrievers.reordered import put_below, ranking_of

SCORES = st.lists(st.floats(-1e6, 1e6), max_size=12).map(lambda found: np.sort(np.array(found, dtype=float))[::-1])


@given(head=SCORES, tail=SCORES)
def test_scores_fall_and_differences_below_stay(head: np.ndarray, tail: np.ndarray):
    whole = put_below(head, tail)
    assert whole[: len(head)].tolist() == head.tolist()
    assert (np.diff(whole) <= 0).all()
    assert np.allclose(np.diff(whole[len(head) :]), np.diff(tail), atol=1e-6)


def test_a_part_that_is_below_already_keeps_its_scores():
    assert put_below(np.array([3.0, 2.0]), np.array([2.0, 0.1])).tolist() == [3.0, 2.0, 2.0, 0.1]
    assert put_below(np.array([3.0, 2.0]), np.array([5.0, 4.0])).tolist() == [3.0, 2.0, 2.0, 1.0]


def test_a_ranking_of_no_questions_is_empty():
    assert ranking_of([]).n_questions == 0
