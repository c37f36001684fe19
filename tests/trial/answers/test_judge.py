"""Labels of a judge: read, asked for again, and never trusted beyond their form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.llm.prompt import load_prompt
from ragtrial.measures.answers import LABELS
from ragtrial.questions.model import Evidence, Question
from ragtrial.trial.answers.judge import judge, judge_request

PROMPT = load_prompt("judge", ["question", "answer", "nuggets"], ["question", "answer", "nuggets"])
ASKED = Question("q", "Who?", (Evidence("e"),), "d", "c", nuggets=("Anna lit it", "It was\nat night", "It was red"))


def reply(*labels):
    return json.dumps({"labels": [{"fact": number, "label": label} for number, label in enumerate(labels, start=1)]})


GOOD = reply("support", "no_support", "partial_support")


def test_one_call_labels_all_nuggets(scripted):
    model = scripted(lambda request: f"Sure!\n```json\n{GOOD}\n```")
    assert judge(model, PROMPT, ASKED, "Anna did") == (("support", "no_support", "partial_support"), True)
    ((_, purpose, request),) = model.calls
    assert (purpose.step, purpose.document) == ("judge", "d")
    assert "1. Anna lit it\n2. It was at night\n3. It was red" in request.user
    assert "Anna did" in request.user
    assert request.temperature == 0.0


def test_labels_may_come_in_any_order(scripted):
    rows = json.loads(GOOD)["labels"]
    model = scripted(lambda request: json.dumps({"labels": rows[::-1], "answer": "all supported"}))
    assert judge(model, PROMPT, ASKED, "x").labels == ("support", "no_support", "partial_support")


@pytest.mark.parametrize(
    "bad",
    [
        "support, support, support",
        reply("support", "support"),
        reply("support", "support", "support", "support"),
        reply("support", "support", "supported"),
        GOOD.replace('"fact": 3', '"fact": 2'),
        GOOD.replace('"fact": 3', '"fact": 0'),
        GOOD.replace('"fact": 3', '"fact": "3"'),
        GOOD.replace('"fact": 1', '"fact": true'),
        GOOD.replace('"no_support"', '["no_support"]'),
        '{"labels": "support"}',
        '{"labels": [1, 2, 3]}',
        "[]",
        "",
        "x" * 100_000,
    ],
)
def test_faulty_labels_are_asked_for_again_and_then_support_nothing(scripted, bad):
    model = scripted(lambda request: bad)
    assert judge(model, PROMPT, ASKED, "x") == (("no_support",) * 3, False)
    assert [request.seed for _, _, request in model.calls] == [0, 1, 2, 3]
    replies = iter([bad, GOOD])
    assert judge(scripted(lambda request: next(replies)), PROMPT, ASKED, "x").readable


def test_an_empty_answer_is_not_asked_about(scripted):
    model = scripted(lambda request: reply("support", "support", "support"))
    assert judge(model, PROMPT, ASKED, " \n") == (("no_support",) * 3, True)
    assert model.calls == []


def test_the_room_for_labels_grows_with_their_number():
    few, many = (judge_request(PROMPT, "q", "a", ["n"] * count).max_tokens for count in (2, 30))
    assert many - few == 28 * 40


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.sampled_from(LABELS), st.lists))
def test_no_reply_breaks_it(value):
    class Model:
        def ask(self, request, purpose):
            from ragtrial.llm.base import Reply

            return Reply(json.dumps({"labels": value}), 1, 1)

    assert judge(Model(), PROMPT, ASKED, "x") == (("no_support",) * 3, False)
