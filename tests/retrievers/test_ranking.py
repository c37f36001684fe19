"""The columnar ranking: what it holds, how it is cut, what it refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError, UsageError
from ragtrial.retrievers.ranking import Ranking, offsets_of

RANKING = Ranking([0, 2, 2, 5], [7, 3, 0, 1, 2], [2.0, 1.0, 0.5, 0.5, 0.0])


def test_a_question_owns_its_rows():
    assert RANKING.n_questions == 3
    assert [[column.tolist() for column in RANKING.of(question)] for question in range(3)] == [
        [[7, 3], [2.0, 1.0]],
        [[], []],
        [[0, 1, 2], [0.5, 0.5, 0.0]],
    ]


@pytest.mark.parametrize("question", [-1, 3])
def test_a_question_that_is_not_there(question: int):
    with pytest.raises(UsageError, match=f"has 3 questions, counted from 0; there is no {question}"):
        RANKING.of(question)


def test_columns_have_their_types_and_cannot_be_written():
    assert (RANKING.offsets.dtype, RANKING.chunks.dtype, RANKING.scores.dtype) == (np.int64, np.int64, np.float64)
    for column in (RANKING.offsets, RANKING.chunks, RANKING.scores):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_the_given_arrays_stay_writable():
    scores = np.array([1.0])
    Ranking([0, 1], [0], scores)
    scores[0] = 2.0
    assert scores[0] == 2.0


@given(st.lists(st.integers(0, 6)), st.integers(0, 8))
def test_top_keeps_the_first_of_every_question(lengths: list[int], k: int):
    n_rows = sum(lengths)
    ranking = Ranking(offsets_of(lengths), np.arange(n_rows), np.linspace(1, 0, n_rows))
    cut = ranking.top(k)
    assert cut.n_questions == len(lengths)
    for question in range(len(lengths)):
        for whole, first in zip(ranking.of(question), cut.of(question), strict=True):
            assert first.tolist() == whole[:k].tolist()


def test_top_refuses_a_negative_depth():
    with pytest.raises(UsageError, match="after -1 chunks"):
        RANKING.top(-1)


def test_equality_is_of_contents():
    assert Ranking([0, 2, 2, 5], [7, 3, 0, 1, 2], [2.0, 1.0, 0.5, 0.5, 0.0]) == RANKING
    assert pickle.loads(pickle.dumps(RANKING)) == RANKING
    assert RANKING.top(2) != RANKING
    assert Ranking([0, 2, 2, 5], [7, 3, 0, 1, 2], [2.0, 1.0, 0.5, 0.25, 0.0]) != RANKING
    assert Ranking([0, 2, 3, 5], [7, 3, 0, 1, 2], [2.0, 1.0, 0.5, 0.5, 0.0]) != RANKING
    assert RANKING != "a ranking"


@pytest.mark.parametrize(
    ("offsets", "chunks", "scores", "fault"),
    [
        ([0, 1], [1, 2], [1.0], "2 chunks but 1 scores"),
        ([0, 1], [1, 2], [1.0, 0.0], "offsets must rise from 0 to the number of chunks, 2"),
        ([1, 2], [1, 2], [1.0, 0.0], "offsets must rise"),
        ([0, 2, 1, 2], [1, 2], [1.0, 0.0], "offsets must rise"),
        ([], [], [], "offsets must rise"),
        ([0, 2], [1, -2], [1.0, 0.0], "-2 is no chunk number"),
        ([0, 2], [1, 2], [1.0, np.nan], "the score at row 1 is not a number"),
        ([[0, 2]], [1, 2], [1.0, 0.0], "one dimension"),
        ([0, 2], [1.5, 2.0], [1.0, 0.0], "chunks cannot be of the type float64"),
    ],
)
def test_arrays_that_are_no_ranking(offsets: list, chunks: list, scores: list, fault: str):
    with pytest.raises(DataError, match=fault):
        Ranking(offsets, chunks, scores)


def test_no_questions_and_no_rows():
    assert Ranking([0], [], []).n_questions == 0
    assert Ranking([0, 0], [], []).top(3) == Ranking([0, 0], [], [])
