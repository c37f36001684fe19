"""ROUGE-L against a plain table, shared grams, and the filter."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.questions.generate.overlap import Overlap, lcs_length, rouge_l, shares_gram

WORDS = st.lists(st.sampled_from("abcde"), max_size=40)


def plain_lcs(one, two):
    table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i, j in product(range(len(one)), range(len(two))):
        table[i + 1][j + 1] = table[i][j] + 1 if one[i] == two[j] else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(WORDS, WORDS)
def test_the_length_is_that_of_the_whole_table(one, two):
    assert lcs_length(one, two) == lcs_length(two, one) == plain_lcs(one, two)


def test_rapidfuzz_counts_the_same():
    similarity = pytest.importorskip("rapidfuzz.distance.LCSseq").similarity
    one, two = [f"w{n * 7 % 90}" for n in range(300)], [f"w{n * 11 % 130}" for n in range(2_000)]
    assert lcs_length(one, two) == similarity(one, two) > 0


@pytest.mark.parametrize(
    ("one", "two", "value"),
    [
        ("the cat sat on the mat", "the cat was on a mat", 2 * 4 / 12),
        ("Red, red LANTERN!", "red red lantern", 1.0),
        ("red", "blue", 0.0),
        ("", "blue", 0.0),
        ("?!", "?!", 0.0),
        ("маяк горит", "Маяк не горит", 2 * 2 / 5),
        ("灯塔在哪里", "灯塔的主灯", 2 * 2 / 10),
    ],
)
def test_rouge_l(one, two, value):
    assert rouge_l(one, two) == pytest.approx(value)


@given(st.text(), st.text())
def test_rouge_l_is_symmetric_and_between_0_and_1(one, two):
    assert 0.0 <= rouge_l(one, two) == rouge_l(two, one) <= 1.0


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ("who lit the red lantern at night", "They lit THE red-lantern.", True),
        ("who lit the red one", "They lit the red lantern", False),
        ("lit the red", "lit the red", False),
        ("one two three four", "four three two one", False),
        ("", "", False),
    ],
)
def test_four_words_in_a_row(one, two, shared):
    assert shares_gram(one, two, 4) is shared


def test_the_filter_names_its_reason_and_looks_at_every_span():
    overlap = Overlap()
    far = "Something else entirely stands here, with many words and none of them asked for."
    assert overlap.leak("Who guards the gate?", [far]) == ""
    assert overlap.leak("Who lit the red lantern?", [far, "Anna lit the red lantern."]) == "gram"
    assert overlap.leak("lantern red gate", ["red gate lantern"]) == "rouge"
    assert Overlap(rouge=0.9).leak("lantern red gate", ["red gate lantern"]) == ""
    assert Overlap(gram=6).leak("Who lit the red lantern?", ["Anna lit the red lantern with " + "x " * 20]) == ""


def test_the_threshold_itself_passes():
    question, span = "a b c d e f g", "a x b y c z q w r t u i o"
    assert rouge_l(question, span) == pytest.approx(0.3)
    assert Overlap(rouge=rouge_l(question, span)).leak(question, [span]) == ""
    assert Overlap(rouge=0.29).leak(question, [span]) == "rouge"


@given(st.text(min_size=1), st.text())
def test_a_filter_without_limits_lets_everything_pass(question, span):
    assert Overlap(rouge=1.0, gram=10_000).leak(question, [span]) == ""
