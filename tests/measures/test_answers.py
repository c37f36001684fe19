"""Token F1 as the official evaluator computes it, and nuggets, on published cases and by laws."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.measures.answers import LABELS, nugget_recall, squad_tokens, token_f1

TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(["a", "the", "BERT", "lstm", "x-y", "7", "模型"])).map(" ".join))


@pytest.fixture(scope="module")
def published(shared):
    return json.loads(shared("oracles/published.json").read_text(encoding="utf-8"))["MDK"]


def test_published_cases_of_token_f1(published):
    assert len(published["token_f1_cases"]) == 10
    for answer, reference, value in published["token_f1_cases"]:
        assert token_f1(answer, [reference]) == pytest.approx(value, abs=1e-12), (answer, reference)


def test_published_case_of_nuggets(published):
    case = published["nugget"]
    assert nugget_recall(case["labels"]) == case["strict"]
    assert nugget_recall(case["labels"], partial=True) == case["partial"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The LSTM-based encoder.", ["lstmbased", "encoder"]),
        ("  An\tA\nthe ", []),
        ("theory anthem a1", ["theory", "anthem", "a1"]),
        ("the-cat", ["thecat"]),
        ("模型，很好", ["模型，很好"]),
        ("Straße — ок", ["straße", "—", "ок"]),
        ("", []),
    ],
)
def test_normalisation(text, tokens):
    assert squad_tokens(text) == tokens


def test_the_best_reference_counts():
    assert token_f1("red lantern", ["Unanswerable", "the red lantern", "blue"]) == 1.0
    assert token_f1("red lantern", ["red"]) == pytest.approx(2 / 3)


def test_repeated_tokens_count_as_often_as_both_have_them():
    assert token_f1("go go go", ["go go"]) == pytest.approx(float(2 * Fraction(2, 3) / (Fraction(2, 3) + 1)))


def test_nothing_shared_is_zero_even_between_empty_texts():
    assert token_f1("", [""]) == token_f1("the", ["a"]) == token_f1("yes", ["no"]) == 0.0


def test_without_a_reference_there_is_no_score():
    with pytest.raises(UsageError, match="without a reference"):
        token_f1("yes", [])


@given(TEXTS, TEXTS)
def test_f1_is_symmetric_and_between_0_and_1(one, two):
    value = token_f1(one, [two])
    assert 0.0 <= value <= 1.0
    assert value == token_f1(two, [one])
    assert (value == 1.0) == (sorted(squad_tokens(one)) == sorted(squad_tokens(two)) != [])


@given(TEXTS, st.lists(TEXTS, min_size=1), TEXTS)
def test_another_reference_never_lowers_the_score(answer, references, more):
    assert token_f1(answer, [*references, more]) >= token_f1(answer, references)


@given(st.lists(st.sampled_from(LABELS), min_size=1))
def test_strict_recall_is_never_above_the_partial_one(labels):
    strict, partial = nugget_recall(labels), nugget_recall(labels, partial=True)
    assert 0.0 <= strict <= partial <= 1.0
    assert (strict == 1.0) == (set(labels) == {"support"})
    assert nugget_recall(labels[::-1]) == strict


@pytest.mark.parametrize("labels", [[], ["support", "supported"], ["SUPPORT"]])
def test_labels_that_are_none_are_refused(labels):
    with pytest.raises(UsageError, match="recall of nuggets"):
        nugget_recall(labels)
