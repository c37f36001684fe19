"""The controls of a judge, and the derangement behind the negative one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.trial.answers.controls import Controls, other_answers


@given(st.lists(st.sampled_from("abcdef"), min_size=2), st.integers(0, 5))
def test_a_derangement_across_clusters_as_far_as_that_is_possible(clusters, seed):
    others = other_answers(clusters, seed)
    assert sorted(others) == list(range(len(clusters)))
    assert all(other != number for number, other in enumerate(others))
    if 2 * max(Counter(clusters).values()) <= len(clusters):
        assert all(clusters[other] != clusters[number] for number, other in enumerate(others))


def test_it_is_seeded():
    clusters = [f"d{number // 3}" for number in range(60)]
    assert other_answers(clusters, 1) == other_answers(clusters, 1) != other_answers(clusters, 2)


@pytest.mark.parametrize("clusters", [[], ["a"]])
def test_without_another_question_there_is_none(clusters):
    assert other_answers(clusters, 0) == []


@pytest.mark.parametrize(
    ("accepted", "other", "kappa", "parts"),
    [
        (0.85, 0.05, 0.6, []),
        (0.849, 0.05, 0.6, ["84.9%"]),
        (0.9, 0.068, 0.7, ["another question's answers reach 6.8%, over 5%"]),
        (0.9, 0.0, None, ["no agreement with people"]),
        (0.9, 0.0, 0.59, ["kappa with people is 0.59, under 0.6"]),
        (0.5, 0.5, 0.1, ["50.0%", "50.0%", "0.10"]),
        (None, None, 0.9, ["no two questions"]),
        (1.0, None, 0.9, ["no two questions"]),
    ],
)
def test_every_condition_has_to_hold(accepted, other, kappa, parts):
    controls = Controls(accepted, other, 10, 0, kappa)
    assert len(controls.faults) == len(parts)
    assert all(part in fault for part, fault in zip(parts, controls.faults, strict=True))
    assert controls.row()["faults"] == list(controls.faults)
