"""The closed set of words: every row that the papers print, and the laws of the function."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import StatisticsError
from ragtrial.statistics import TESTS, WORDS, verdict
from ragtrial.statistics.verdict import SMALL_DIFFERENCE, excludes_zero

# Points of Mangla 2026 as printed. Where the paper prints no p-value, it says on which side of 0.05 it lies.
PASSED, FAILED = 0.01, 0.5

DECIDED = [
    # what, test, difference, 95% interval, margin, TOST p, family demands sign-flip, sign-flip p, word
    ("H1 Qasper, TOST not passed", "equivalence", 5.5, (2.9, 8.1), 5, FAILED, False, 0.0009, "different"),
    ("H1 FreshStack by the plan's rule", "equivalence", 2.7, (0.5, 5.1), 4, FAILED, False, 0.057, "different"),
    ("the same where sign-flips are demanded", "equivalence", 2.7, (0.5, 5.1), 4, FAILED, True, 0.057, "inconclusive"),
    ("the same, two-sided", "difference", 2.7, (0.5, 5.1), None, None, True, 0.057, "no difference detected"),
    ("pilot E - S+T, hybrid", "equivalence", -2.3, (-8.6, 4.3), 5, FAILED, False, 0.518, "inconclusive"),
    ("pilot qwen3 E - S+T, FreshStack", "equivalence", -3.3, (-8.1, 1.3), 3, FAILED, False, FAILED, "inconclusive"),
    ("H5b E+KX - E+AX", "difference", -2.2, (-4.3, -0.2), None, None, True, FAILED, "no difference detected"),
    (
        "pilot E+M - E-K+M, p 0.092",
        "difference",
        -6.0,
        (-12.8, -0.2),
        None,
        None,
        True,
        0.092,
        "no difference detected",
    ),
    ("S+T - S Qasper", "difference", 0.2, (-1.6, 2.1), None, None, False, None, "no difference detected"),
    ("S+T - S FreshStack", "difference", 1.3, (-0.4, 3.2), None, None, False, None, "no difference detected"),
    ("E - S+T F1", "equivalence", 1.4, (-0.6, 3.4), 5, PASSED, False, FAILED, "equivalent"),
    ("pilot S - P", "difference", 12.4, (5.1, 20.3), None, None, True, PASSED, "different"),
    ("pilot P - F256t", "difference", 0.3, (-11.1, 11.4), None, None, True, FAILED, "no difference detected"),
]

DESCRIBED = [
    ("Laravel alone", 4.6, (1.7, 8.1), "different"),
    ("S - P FreshStack", -2.0, (-4.5, 0.5), "no difference detected"),
    ("S - FL FreshStack", 1.6, (-0.6, 3.9), "no difference detected"),
    ("best paid - best free", 2.5, (0.4, 4.6), "different"),
    ("terciles of overlap", 0.1, (-5.0, 5.2), "no difference detected"),
    ("bridged questions, BM25", 24.4, (19.2, 30.2), "different"),
    ("not bridged, rerank", -0.6, (-3.2, 2.1), "no difference detected"),
    ("larger indexing model", 9.3, (-0.1, 18.2), "no difference detected"),
    ("less evidence, F1", -16.3, (-23.4, -9.8), "different"),
    ("title and summary only", -7.0, (-12.6, -1.5), "different"),
    ("pilot merges, hybrid", 4.8, (0.5, 9.7), "different"),
    ("BM25 E - S+T", 8.7, (6.65, 10.85), "different"),
]


@pytest.mark.parametrize("row", DECIDED, ids=lambda row: row[0])
def test_rows_of_the_paper(row):
    _, test, difference, ci95, margin, p_margin, demands, p_flip, word = row
    got = verdict(test, difference, ci95, margin=margin, p_margin=p_margin, p_demanded=p_flip if demands else None)
    assert got.word == word
    assert got.direction == ("A" if difference > 0 else "B")
    assert got.remark == ""


@pytest.mark.parametrize("row", DESCRIBED, ids=lambda row: row[0])
def test_exploratory_rows_of_the_paper(row):
    _, difference, ci95, word = row
    assert verdict("difference", difference, ci95).word == word


def test_a_small_loss_within_the_margin():
    """H4c on Qasper: -2.2 points, equivalent, and yet the 95% interval excludes 0."""
    got = verdict("equivalence", -2.2, (-3.6, -0.8), margin=5, p_margin=PASSED)
    assert (got.word, got.direction, got.remark) == ("equivalent", "B", SMALL_DIFFERENCE)


def test_rows_without_a_family_keep_the_rule():
    inside = verdict("equivalence", 1.5, (-0.4, 3.5), margin=5, p_margin=0.001)
    assert (inside.word, inside.remark) == ("equivalent", "")
    assert verdict("equivalence", 1.5, (0.1, 3.5), margin=5, p_margin=0.001).remark == SMALL_DIFFERENCE
    assert verdict("equivalence", 4.6, (2.4, 6.9), margin=5, p_margin=0.4).word == "different"
    assert verdict("equivalence", 9.2, (-4.0, 17.5), margin=5, p_margin=0.8).word == "inconclusive"


def test_table_1_of_kmr(shared):
    """Kuehlkamp et al. 2026, table 1: Holm-adjusted p-values and intervals agree on every row."""
    import json

    rows = json.loads(shared("oracles/published.json").read_text())["KMR"]["table1"]
    words = []
    for row in rows:
        got = verdict("difference", row["delta"], tuple(row["ci"]))
        p_holm = 0.0009 if row["p_holm"] == "<0.001" else row["p_holm"]
        assert (got.word == "different") == (p_holm < 0.05)
        assert got.direction == ("A" if row["delta"] > 0 else "B")
        words.append(got.word)
    assert (words.count("different"), words.count("no difference detected")) == (7, 1)


limits = st.floats(-10, 10)
probabilities = st.floats(0, 1)


@st.composite
def rows(draw):
    # Adding 0.0 makes -0.0 the 0.0 that it equals: between the two there is nothing to draw.
    low, high = sorted((draw(limits) + 0.0, draw(limits) + 0.0))
    return {
        "test": draw(st.sampled_from(TESTS)),
        "difference": draw(st.floats(low, high)),
        "ci95": draw(st.sampled_from([(low, high), None])),
        "margin": draw(st.floats(0.1, 10)),
        "p_margin": draw(probabilities),
        "p_demanded": draw(st.none() | probabilities),
    }


@given(rows())
def test_no_word_without_its_rule(row):
    got, ci95, margin_test = verdict(**row), row["ci95"], row["test"] != "difference"
    assert got.word in WORDS
    assert (got.word == "cannot say") == (ci95 is None)
    if ci95 is None:
        return
    passed = margin_test and row["p_margin"] < 0.05
    confirmed = excludes_zero(ci95) and (row["p_demanded"] is None or row["p_demanded"] < 0.05)
    assert (got.word == "equivalent") == (passed and row["test"] == "equivalence")
    assert (got.word == "non-inferior") == (passed and row["test"] == "non-inferiority")
    assert (got.word == "different") == (not passed and confirmed)
    assert (got.word == "inconclusive") == (margin_test and not passed and not confirmed)
    assert (got.word == "no difference detected") == (not margin_test and not confirmed)
    assert bool(got.remark) == (got.word == "equivalent" and excludes_zero(ci95))


@given(rows())
def test_swapping_the_arms_flips_the_direction_and_nothing_else(row):
    if row["test"] == "non-inferiority":
        return
    ci95 = row["ci95"] and (-row["ci95"][1], -row["ci95"][0])
    one, other = verdict(**row), verdict(**{**row, "difference": -row["difference"], "ci95": ci95})
    assert (one.word, one.remark) == (other.word, other.remark)
    assert other.direction == {"A": "B", "B": "A", "neither": "neither"}[one.direction]


def test_an_interval_that_touches_its_limit_does_not_pass():
    assert verdict("difference", 0.1, (0.0, 0.2)).word == "no difference detected"
    assert verdict("equivalence", 0.1, (-0.1, 0.2), margin=0.5, p_margin=0.05).word == "inconclusive"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test": "equality"}, "no test 'equality'"),
        ({"test": "equivalence"}, "A row of equivalence has no margin"),
        ({"test": "equivalence", "margin": 0.1}, "p-value of equivalence is missing"),
        ({"test": "non-inferiority", "margin": 0.1, "p_margin": 1.5}, "no probability: 1.5"),
        ({"test": "difference", "p_demanded": -0.1}, "p-value that the family demands is missing or no probability"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(StatisticsError, match=message):
        verdict(**{"difference": 0.1, "ci95": (0.05, 0.2), **arguments})
