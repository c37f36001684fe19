"""The answer in sentences: no verdict word without its rule, and the direction right whichever arm comes first."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.report.sentences import (
    answer,
    contrast_sentence,
    curve_sentence,
    headline,
    other_sentence,
    trust_sentence,
)
from ragtrial.statistics.verdict import ALPHA, TESTS, TIERS, WORDS, excludes_zero

from .made_up import rows, swap


def words_in(sentence):
    """Return the verdict words of a sentence, longest first, so that one inside another is not counted."""
    found, rest = [], sentence
    for word in sorted(WORDS, key=len, reverse=True):
        if re.search(rf"\b{word}\b", rest):
            found.append(word)
            rest = re.sub(rf"\b{word}\b", "", rest)
    return found


@given(rows(tests=TESTS))
def test_a_sentence_has_the_one_verdict_of_its_row_and_that_word_has_its_rule(row):
    sentence = contrast_sentence(row)
    (word,) = words_in(sentence)
    assert word == row["verdict"]
    ci, p = row["ci95"], row["p_margin"]
    rules = {
        "cannot say": ci is None,
        "equivalent": ci is not None and row["test"] == "equivalence" and p < ALPHA,
        "non-inferior": ci is not None and row["test"] == "non-inferiority" and p < ALPHA,
        "different": ci is not None and excludes_zero(ci) and (row["test"] == "difference" or p >= ALPHA),
        "no difference detected": ci is not None and row["test"] == "difference" and not excludes_zero(ci),
        "inconclusive": ci is not None and row["test"] != "difference" and p >= ALPHA and not excludes_zero(ci),
    }
    assert [name for name, holds in rules.items() if holds] == [word]


@given(rows(tests=("difference", "equivalence")))
def test_who_is_higher_does_not_depend_on_which_arm_comes_first(row):
    one, other = contrast_sentence(row), contrast_sentence(swap(row))
    higher = {"A": "left arm", "B": "right arm"}.get(row["direction"])
    if row["verdict"] == "different":
        assert one == other
        assert one.startswith(f"{higher} scores ")
        assert (row["mean_a"] > row["mean_b"]) == (higher == "left arm")
    assert ("left arm is higher" in one, "right arm is higher" in one) == (
        "left arm is higher" in other,
        "right arm is higher" in other,
    )
    if row["remark"]:
        assert f"{row['remark']}: {higher} is higher" in one


@given(rows(tests=TESTS))
def test_the_numbers_of_a_sentence_are_those_of_its_row(row):
    sentence = contrast_sentence(row)
    if row["ci95"] is None:
        assert "%" not in sentence
        return
    percent = re.search(r"(\d+)% interval", sentence)[1]
    assert percent == ("95" if row["test"] == "difference" or row["verdict"] == "different" else "90")
    low, high = row["ci95"] if percent == "95" else row["ci90"]
    if row["verdict"] == "different":
        assert f"{min(abs(low), abs(high)) * 100:.1f} to {max(abs(low), abs(high)) * 100:.1f}" in sentence
        assert f"{abs(row['difference']) * 100:.1f} points" in sentence
    else:
        assert f"[{low * 100:+.1f}, {high * 100:+.1f}]" in sentence


@given(st.lists(rows(tests=TESTS, name="step"), max_size=6))
def test_the_other_contrasts_are_all_counted_and_no_verdict_is_made_up(others):
    sentence = other_sentence(others)
    counted = {word: sum(row["verdict"] == word for row in others) for word in WORDS}
    for word, number in counted.items():
        assert (f"{number} {word} (" in sentence) == bool(number)
    assert set(words_in(sentence)) == {word for word, number in counted.items() if number}


@given(st.lists(rows(), min_size=1, max_size=5))
def test_the_headline_is_confirmatory_where_anything_is(contrasts):
    first = headline(contrasts)
    confirmatory = [row for row in contrasts if row["tier"] == TIERS[0]]
    assert first is (confirmatory[0] if confirmatory else contrasts[0])


def point(budget, difference, ci=None):
    side = "A" if difference > 0 else "B" if difference < 0 else "neither"
    return {"measure": f"recall@{budget}t", "difference": difference, "ci95": ci, "direction": side}


def curve(*points):
    return {"a": "left", "b": "right", "curve": list(points)}


CURVES = [
    (curve(point(128, 0.1), point(512, 0.2)), "left has the higher mean at every budget."),
    (curve(point(128, 0.0), point(512, -0.2)), "right has the higher mean at every budget that parts them."),
    (
        curve(point(128, 0.1), point(256, 0.2), point(512, -0.1), point(4096, -0.1)),
        "The higher mean changes sides: left at 128 to 256; right at 512 to 4,096 tokens.",
    ),
    (
        curve(point(128, 0.1), point(256, -0.2), point(512, 0.1)),
        "The higher mean changes sides: left at 128; right at 256; left at 512 tokens.",
    ),
    (curve(point(128, 0.0), point(256, 0.0)), "Both arms are level at every budget."),
]


@pytest.mark.parametrize(("row", "told"), CURVES)
def test_where_the_sign_changes_is_said(row, told):
    assert curve_sentence(row).startswith(told)


def test_where_the_interval_excludes_0_is_said():
    row = curve(point(128, 0.1, [0.05, 0.2]), point(1024, 0.1, [0.0, 0.2]), point(4096, 0.1, [0.01, 0.2]))
    assert curve_sentence(row).endswith("The 95% interval excludes 0 at 128, 4,096 tokens.")
    assert curve_sentence(curve(point(128, 0.1, [-0.1, 0.2]))).endswith("excludes 0 at no budget.")


@given(rows())
def test_a_curve_tells_the_same_of_both_arms(row):
    assert curve_sentence(row) == curve_sentence(swap(row))


def test_what_it_rests_on(real, told):
    assert trust_sentence(real).startswith("This rests on 3 questions about 1 document; nothing was frozen")
    plan = {"sha256": "a", "created": "2026-11-30T00:00:00Z", "amendments": []}
    frozen = told([row | {"tier": "confirmatory"} for row in real.contrasts], plan=plan, doubts=["one", "two"])
    sentence = trust_sentence(frozen)
    assert "under a plan frozen on 2026-11-30T00:00:00Z, which makes 3 contrasts confirmatory" in sentence
    assert sentence.endswith("2 doubts to read below.")


def test_three_sentences_of_a_real_record(real):
    first, second, third = answer(real)
    assert "structure" not in first
    assert first.startswith(("Between path and fixed", "path scores", "The data cannot say"))
    assert second.startswith("Of the 2 other contrasts: ")
    assert third == trust_sentence(real)


def test_without_contrasts_nothing_is_judged(told):
    sentences = answer(told([]))
    assert sentences[0] == "No contrast was declared, so there is no verdict."
    assert not any(words_in(sentence) for sentence in sentences)
    best = max(
        (row for row in told().header["conditions"] if row["measure"] == "recall@512t"), key=lambda row: row["mean"]
    )
    assert f"is that of {best['arm']} under {best['retriever']} ({best['mean'] * 100:.1f} points" in sentences[1]


def test_two_retrievers_on_one_arm_are_told_apart(real):
    row = real.contrasts[0] | {"a": "path", "b": "path", "retriever": "bm25", "against": "lucene"}
    row |= {"verdict": "different", "direction": "B", "difference": -0.1, "ci95": [-0.2, -0.05]}
    assert contrast_sentence(row) == (
        "path under lucene scores 10.0 points higher than path under bm25 on recall@512t "
        "(95% interval 5.0 to 20.0): different."
    )
    row["curve"] = [point(512, -0.1), point(1024, 0.1)]
    assert "path under lucene at 512; path under bm25 at 1,024 tokens" in curve_sentence(row)
