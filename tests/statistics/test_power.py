"""Power: closed forms against simulation, sizes against the power they promise, the paper's own margins."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import (
    TESTS,
    Pilot,
    minimum_detectable_effect,
    power,
    power_curve,
    sample_size,
    standard_error_of,
)

pilots = st.builds(Pilot, st.floats(0.01, 1.0), st.floats(1.0, 4.0), st.floats(1.0, 6.0))


def test_formulas_of_the_methods():
    """METHODS: equivalence at a true difference of 0 has power 2 Phi(margin / se - 1.6449) - 1."""
    stats = pytest.importorskip("scipy.stats")
    assert power("equivalence", 0.05, 0.02) == pytest.approx(2 * stats.norm.cdf(2.5 - 1.6449) - 1, abs=1e-4)
    assert power("difference", 0.05, 0.02) == pytest.approx(stats.norm.cdf(2.5 - 1.959964), abs=1e-5)
    assert power("non-inferiority", 0.05, 0.02) == pytest.approx(stats.norm.cdf(2.5 - 1.6449), abs=1e-4)
    assert power("equivalence", 0.01, 0.02) == 0.0


def test_formulas_against_simulated_estimates():
    generator = np.random.default_rng(0)
    se, size = 0.02, 0.055
    estimates = generator.normal(0.0, se, size=200_000)
    inside = np.abs(estimates) + 1.6448536 * se < size
    assert power("equivalence", size, se) == pytest.approx(inside.mean(), abs=0.004)
    found = np.abs(estimates + size) > 1.9599640 * se
    assert power("difference", size, se) == pytest.approx(found.mean(), abs=0.004)
    assert power("non-inferiority", size, se) == pytest.approx((estimates - 1.6448536 * se > -size).mean(), abs=0.004)


@given(st.sampled_from(TESTS), st.floats(0.01, 0.5), pilots, st.sampled_from([0.8, 0.9, 0.95]))
def test_the_sample_size_has_the_power_and_one_less_has_not(test, size, pilot, target):
    needed = sample_size(test, size, pilot, target=target)
    assert power(test, size, standard_error_of(pilot, needed.questions)) >= target - 1e-9
    if needed.questions > 2:
        assert power(test, size, standard_error_of(pilot, needed.questions - 1)) < target + 1e-6
    assert (needed.documents - 1) * pilot.questions_per_document < needed.questions
    assert needed.documents * pilot.questions_per_document >= needed.questions - 1e-9


@given(st.floats(0.001, 1.0))
def test_the_mde_is_found_with_the_target_power(se):
    assert power("difference", minimum_detectable_effect(se), se) == pytest.approx(0.8, abs=1e-4)


def test_power_grows_along_the_curve():
    curve = power_curve("equivalence", 0.05, Pilot(0.4, 1.3, 3.0), range(100, 2000, 100))
    assert all(one.power <= other.power for one, other in itertools.pairwise(curve))
    assert (curve[0].questions, curve[0].documents) == (100, 34)


def test_pilot_measures_sd_and_design_effect():
    generator = np.random.default_rng(1)
    documents = np.repeat(np.arange(2000), 4)
    together = generator.normal(0, 0.3, 2000)[documents] + generator.normal(0, 0.4, 8000)
    pilot = Pilot.of(together, documents)
    assert pilot.sd == pytest.approx(0.5, abs=0.02)
    assert pilot.design_effect == pytest.approx(1 + 3 * 0.09 / 0.25, abs=0.15)
    assert pilot.questions_per_document == 4.0
    alone = Pilot.of(together, range(8000))
    assert alone.design_effect == pytest.approx(1.0, abs=1e-9)


def test_the_margin_of_5_points_had_the_power_that_the_paper_states(shared):
    """Mangla 2026, section 4.5: from the pilot's paired sd, 5 points on 951 questions have power of at least 0.85."""
    values = json.loads(shared("oracles/pilot-per-question.json").read_text())["values"]
    a, b = values["hybrid | headers + enriched"], values["hybrid | headers + path"]
    papers = [paper for paper, scores in a.items() for _ in scores]
    pilot = Pilot.of(np.concatenate(list(a.values())) - np.concatenate(list(b.values())), papers)
    assert power("equivalence", 0.05, standard_error_of(pilot, 951)) >= 0.85
    assert sample_size("equivalence", 0.05, pilot, target=0.85).questions < 951


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power("equality", 0.05, 0.01), "no test 'equality'"),
        (lambda: power("difference", 0.0, 0.01), "effect or margin is 0.0"),
        (lambda: power("difference", 0.1, 0.0), "standard error is 0.0"),
        (lambda: power("difference", 0.1, 0.1, alpha=5), "alpha is 5"),
        (lambda: sample_size("difference", 0.1, Pilot(0.4), target=80), "power is 80"),
        (lambda: Pilot(0.0), "sd of paired differences is 0.0"),
        (lambda: Pilot(0.4, 0.5), "design effect is 0.5"),
        (lambda: Pilot(0.4, 1.0, 0.2), "0.2 questions a document"),
        (lambda: Pilot.of([0.1, 0.2], ["a", "b"]), "2 clusters; power needs at least 3"),
        (lambda: Pilot.of([0.1, 0.1, 0.1], ["a", "b", "c"]), "All differences of the pilot are equal"),
        (lambda: standard_error_of(Pilot(0.4), 0), "number of questions is 0"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()
