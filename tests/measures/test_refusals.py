"""What a reader's reply says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.measures.refusals import UNANSWERABLE, answer_of


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("BERT", "BERT"),
        ("Answer: BERT", "BERT"),
        ("  answer :  BERT and ELMo \nThe second line explains.", "BERT and ELMo"),
        ("**Answer:** BERT", "BERT"),
        ("Answer:\n\nBERT\nmore", "BERT"),
        ("Answer: Answer: BERT", "Answer: BERT"),
        ("\n\nYes\r\nBecause", "Yes"),
        ("答案是模型。\n因为", "答案是模型。"),
        ("回答\u2028第二", "回答"),
        ("Answerable by hand", "Answerable by hand"),
        ("", ""),
        (" \n\t", ""),
        ("Answer:", ""),
        ("the model\N{RIGHT SINGLE QUOTATION MARK}s output", "the model\N{RIGHT SINGLE QUOTATION MARK}s output"),
    ],
)
def test_label_and_later_lines_are_dropped(reply, answer):
    assert answer_of(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "Unanswerable",
        "unanswerable.",
        "Answer: Unanswerable",
        "UNANSWERABLE - the pieces are about something else",
        "The question is unanswerable from the pieces.",
        "This is not answerable",
        "I don't know.",
        "I don\N{RIGHT SINGLE QUOTATION MARK}t know",
        "I'm sorry, but I cannot answer this question.",
        "Sorry, I could not find the answer",
        "I cannot determine that from the text.",
        "It cannot be determined from the given text.",
        "The answer can't be found in the pieces.",
        "The provided context does not mention the dataset.",
        "The text doesn't explicitly state which parser is used.",
        "None of the pieces does not mention it",
        "Based on the provided context, it is not possible to say",
        "Unfortunately, the passages do not contain this information.",
        "Not mentioned.",
        "The answer is not mentioned in the pieces",
        "it's not stated",
        "not explicitly stated in the text",
        "Not specified",
        "There is no information about this in the text.",
        "No answer",
        "Insufficient information to answer",
        "Not enough context.",
        "No information is provided",
    ],
)
def test_refusals_are_unanswerable(reply):
    assert answer_of(reply) == UNANSWERABLE


@pytest.mark.parametrize(
    "reply",
    [
        "No",
        "No, it does not contain one",
        "Not only BERT but ELMo",
        "No information is lost when the layer is removed",
        "No evidence supports the hypothesis",
        "The text encoder does not use attention",
        "The paper does not outperform the baseline",
        "Know-how of the annotators",
        "It cannot be parallelised",
        "the reply I do not know, at 12%",
        "Information is extracted with rules",
        "unanswerability is 8%",
    ],
)
def test_answers_that_only_look_like_refusals_stay(reply):
    assert answer_of(reply) == reply


@given(st.text())
def test_an_answer_is_one_line_without_blanks_around_it(reply):
    answer = answer_of(reply)
    assert len(answer.splitlines()) <= 1
    assert answer == answer.strip()
    assert answer_of(answer) in (answer, UNANSWERABLE) or answer.lower().lstrip('*_`" ').startswith("answer")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_what_follows_a_refusal_never_matters(rest):
    assert answer_of(f"Unanswerable\n{rest}") == UNANSWERABLE


def test_a_reply_of_a_megabyte_takes_no_time():
    assert answer_of("not provided " * 80_000).startswith("not provided")
