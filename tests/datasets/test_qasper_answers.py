"""References by the official evaluator's rules."""

import pytest

from ragtrial.datasets.qasper.answers import reference_answers
from ragtrial.datasets.qasper.files import read_split, split_files
from ragtrial.measures.answers import token_f1

EMPTY = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "", "yes_no": None, "evidence": []}


def question(*answers):
    records = [{"answer": EMPTY | answer} for answer in answers]
    return {"question": "What?", "question_id": "q", "answers": records}


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ({"unanswerable": True, "free_form_answer": "x", "yes_no": True}, "Unanswerable"),
        ({"extractive_spans": ["BERT", "ELMo"], "free_form_answer": "x", "yes_no": False}, "BERT, ELMo"),
        ({"free_form_answer": "Two of them", "yes_no": True}, "Two of them"),
        ({"yes_no": True}, "Yes"),
        ({"yes_no": False}, "No"),
    ],
)
def test_the_first_rule_that_holds(answer, reference):
    assert reference_answers(question(answer)) == (reference,)


def test_annotators_keep_their_order_and_an_empty_entry_gives_none():
    asked = question({"yes_no": False}, {}, {"unanswerable": True}, {"yes_no": False})
    assert reference_answers(asked) == ("No", "Unanswerable", "No")
    assert reference_answers({"question": "?", "question_id": "q", "answers": []}) == ()


def test_the_first_annotator_as_prediction_scores_one(shared):
    (path,) = split_files(shared("data/qasper"), ["dev"])
    asked = [question for paper in read_split(path).values() for question in paper["qas"]]
    references = [reference_answers(question) for question in asked]
    assert [len(texts) for texts in references] == [len(question["answers"]) for question in asked]
    scores = [token_f1(texts[0], texts) for texts in references]
    assert len(scores) == 1005
    assert all(score == 1.0 for score in scores)
