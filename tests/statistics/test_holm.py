"""Holm's adjustment: its laws, and that families do not touch each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import holm, holm_by_family

p_values = st.lists(st.floats(0, 1), max_size=20)


@given(p_values)
def test_laws(p):
    adjusted = holm(p)
    order = np.argsort(p, kind="stable")
    assert np.all(adjusted >= np.array(p))
    assert np.all(adjusted <= 1.0)
    assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.all(adjusted <= np.minimum(1.0, len(p) * np.array(p)) + 1e-15)
    if p:
        assert adjusted[order[0]] == min(1.0, len(p) * min(p))


@given(p_values, st.randoms(use_true_random=False))
def test_order_of_the_tests_does_not_matter(p, random):
    places = list(range(len(p)))
    random.shuffle(places)
    assert holm([p[i] for i in places]).tolist() == holm(p)[places].tolist()


@given(p_values)
def test_rejections_are_those_of_the_step_down_procedure(p):
    rejected, open_ = set(), sorted(range(len(p)), key=lambda i: p[i])
    for step, i in enumerate(open_):
        if not p[i] * (len(p) - step) < 0.05:
            break
        rejected.add(i)
    assert {i for i, q in enumerate(holm(p)) if q < 0.05} == rejected


def test_families_are_adjusted_apart():
    p, families = [0.01, 0.02, 0.03, 0.04], ["H1", "H3", "H1", "H3"]
    assert holm_by_family(p, families).tolist() == [0.02, 0.04, 0.03, 0.04]
    assert holm_by_family([], []).tolist() == []


@pytest.mark.parametrize("p", [[1.2], [-0.1], [float("nan")], [[0.1, 0.2]]])
def test_what_is_no_list_of_probabilities(p):
    with pytest.raises(StatisticsError, match="p-values between 0 and 1"):
        holm(p)


def test_unequal_lengths():
    with pytest.raises(StatisticsError, match="2 p-values and 1 family names"):
        holm_by_family([0.1, 0.2], ["H1"])
