"""Rows judged together."""

from dataclasses import replace

import pytest

from ragtrial.errors import StatisticsError
from ragtrial.statistics import Row, compare, holm, judge


@pytest.fixture(scope="module")
def plain():
    """A comparison to change the numbers of."""
    return compare([0.5 + 0.01 * (i % 3) for i in range(30)], [0.5] * 30, range(30), margin=0.05, resamples=100)


def difference(plain, ci95, p_sign_flip, p_bootstrap=0.01):
    return replace(
        plain, test="difference", margin=None, ci95=ci95, p_sign_flip=p_sign_flip, p_bootstrap=p_bootstrap, p_tost=None
    )


def equivalence(plain, ci95, p_tost, p_sign_flip=0.5):
    return replace(plain, ci95=ci95, p_tost=p_tost, p_sign_flip=p_sign_flip)


def test_holm_inside_a_family_of_differences(plain):
    p = [0.01, 0.04, 0.03, 0.005]
    rows = [Row(difference(plain, (0.01, 0.09), q, p_bootstrap=q), "confirmatory", "H3", "sign-flip") for q in p]
    judged = judge(rows)
    assert [row.p_sign_flip for row in judged] == holm(p).tolist()
    assert [row.p_bootstrap for row in judged] == holm(p).tolist()
    assert all(row.p_margin is None for row in judged)
    assert [row.verdict.word for row in judged] == [
        "different",
        "no difference detected",
        "no difference detected",
        "different",
    ]
    undemanding = judge([replace(row, demands=None) for row in rows])
    assert {row.verdict.word for row in undemanding} == {"different"}


def test_a_family_may_demand_the_bootstrap_s_own_p(plain):
    """Kuehlkamp et al. 2026: four intervals exclude 0, and Holm over four p-values of 0.04 leaves none of them."""
    rows = [Row(difference(plain, (0.002, 0.1), 0.001, p_bootstrap=0.04), "confirmatory", "C", "bootstrap")] * 4
    assert {row.verdict.word for row in judge(rows)} == {"no difference detected"}
    assert {row.verdict.word for row in judge([replace(row, demands="sign-flip") for row in rows])} == {"different"}
    assert judge(rows[:1])[0].verdict.word == "different"


def test_the_primary_family_of_four_equivalence_tests(plain):
    """Mangla 2026, table 2: one row fails at +5.5, one at +2.7 with an adjusted sign-flip p of 0.057, two pass."""
    rows = [
        Row(equivalence(plain, (0.029, 0.081), 0.6, 0.0002), "confirmatory", "primary"),
        Row(equivalence(plain, (0.005, 0.051), 0.2, 0.019), "confirmatory", "primary"),
        Row(equivalence(plain, (-0.01, 0.03), 0.004, 0.4), "confirmatory", "primary"),
        Row(equivalence(plain, (-0.01, 0.02), 0.001, 0.6), "confirmatory", "primary"),
    ]
    judged = judge(rows)
    assert [row.verdict.word for row in judged] == ["different", "different", "equivalent", "equivalent"]
    assert judged[1].p_sign_flip == pytest.approx(0.057)
    assert [row.p_margin for row in judged] == pytest.approx([0.6, 0.4, 0.012, 0.004])


def test_a_mixed_family_is_adjusted_over_all_its_rows(plain):
    rows = [
        Row(equivalence(plain, (-0.01, 0.02), 0.02, 0.9), "secondary", "H4", "sign-flip"),
        Row(difference(plain, (0.001, 0.04), 0.03), "secondary", "H4", "sign-flip"),
    ]
    judged = judge(rows)
    assert judged[0].p_margin == pytest.approx(0.04)
    assert judged[1].p_sign_flip == pytest.approx(0.06)
    assert [row.verdict.word for row in judged] == ["equivalent", "no difference detected"]
    assert {row.tier for row in judged} == {"secondary"}


def test_families_do_not_touch_each_other(plain):
    row = Row(equivalence(plain, (-0.01, 0.02), 0.03), "confirmatory", "H1")
    assert judge([row, replace(row, family="H2")])[0].verdict.word == "equivalent"
    assert judge([row, row])[0].verdict.word == "inconclusive"


def test_rows_outside_families_are_judged_alone_and_do_not_count(plain):
    row = Row(equivalence(plain, (-0.01, 0.02), 0.03), "confirmatory", "H1")
    judged = judge([row, replace(row, tier="exploratory"), replace(row, tier="secondary", family=None)])
    assert judged[0].p_margin == pytest.approx(0.03)
    assert [other.verdict.word for other in judged[1:]] == ["equivalent"] * 2
    assert [(other.p_margin, other.p_sign_flip, other.p_bootstrap) for other in judged[1:]] == [(None, None, None)] * 2
    assert [other.tier for other in judged] == ["confirmatory", "exploratory", "secondary"]


def test_a_planned_test_without_a_result_stays_in_its_family(plain):
    nothing = replace(compare([0.1, 0.2], [0.1, 0.1], ["p", "q"], margin=0.05), p_sign_flip=0.5)
    row = Row(equivalence(plain, (-0.01, 0.02), 0.03), "confirmatory", "H1")
    judged = judge([row, Row(nothing, "confirmatory", "H1")])
    assert [one.verdict.word for one in judged] == ["inconclusive", "cannot say"]
    assert judged[1].p_margin == 1.0


def test_no_rows():
    assert judge([]) == ()


def test_refusals(plain):
    with pytest.raises(StatisticsError, match="A confirmatory row has no family"):
        judge([Row(plain, "confirmatory")])
    with pytest.raises(StatisticsError, match="no tier 'primary'"):
        judge([Row(plain, "primary", "H1")])
    with pytest.raises(StatisticsError, match="'H1' does not demand the same p-value of all its rows"):
        judge([Row(plain, "secondary", "H1", "sign-flip"), Row(plain, "secondary", "H1", "bootstrap")])
