"""Vectors from a model are whole, finite, of one size, and leave with length 1; anything else is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragtrial.embedders.vectors import unit_vectors
from ragtrial.errors import DataError

ROWS = arrays(np.float32, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.integers(-(2**20), 2**20))


@given(ROWS.filter(lambda rows: (np.abs(rows).max(axis=1) > 0).all()))
def test_vectors_have_length_one_and_their_direction(rows: np.ndarray):
    unit = unit_vectors(rows, ["x"] * len(rows), rows.shape[1], "M")
    assert unit.dtype == np.float32
    assert np.linalg.norm(unit.astype(np.float64), axis=1) == pytest.approx(1, abs=1e-6)
    for row, given_row in zip(unit.tolist(), rows.tolist(), strict=True):
        length = sum(value * value for value in given_row) ** 0.5
        assert row == pytest.approx([value / length for value in given_row], abs=1e-7)


@given(ROWS.filter(lambda rows: (np.abs(rows).max(axis=1) > 0).all()), st.sampled_from([0.25, 2.0, 1024.0]))
def test_the_scale_of_a_vector_does_not_matter(rows: np.ndarray, scale: float):
    texts = ["x"] * len(rows)
    assert (unit_vectors(rows * np.float32(scale), texts, None, "M") == unit_vectors(rows, texts, None, "M")).all()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((1, 3)), r"^M gave 1 vectors for 2 texts; none of them was used\.$"),
        (np.ones((3, 3)), "gave 3 vectors for 2 texts"),
        (np.ones(6), r"gave an array of the shape \(6,\) vectors for 2 texts"),
        (np.ones((2, 4)), "gave vectors of 4 components where they have 3; none of them was used"),
        (np.array([[1, 1, 1], [1, np.nan, 1]]), r"not finite \(NaN or infinite\) for the text 'y{57}\.\.\.'"),
        (np.array([[1, np.inf, 1], [1, 1, 1]]), r"not finite \(NaN or infinite\) for the text 'x'"),
        (np.array([[1, 1, 1], [0, 0, 0]]), r"a vector that is zero for the text"),
    ],
)
def test_anything_else_is_refused(rows: np.ndarray, message: str):
    with pytest.raises(DataError, match=message):
        unit_vectors(rows.astype(np.float32), ["x", "y" * 99], 3, "M")
