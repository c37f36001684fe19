"""What becomes of one target: both calls, both filters, and replies that are nonsense or an attack."""

import importlib.util
from pathlib import Path

import pytest

from ragtrial.documents.parts import Span
from ragtrial.errors import DataError, ModelCallError
from ragtrial.questions.generate.ask import QuestionPrompts, draft_question, question_request
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.generate.targets import TYPES, Target

spec = importlib.util.spec_from_file_location("scripted", Path(__file__).with_name("scripted.py"))
scripted = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scripted)
Scripted, question = scripted.Scripted, scripted.question

PROMPTS = QuestionPrompts.load()
ONE = Target("factoid", "d", (Span(0, 40),), ("The red lantern marks the harbour gate at night, every night.",))
TWO = Target("multihop", "d", (Span(0, 9), Span(20, 30)), ("The north pier.", "Snow fell in March {{title}}."))


def draft(say, target=ONE):
    model = Scripted(say)
    return draft_question(model, target, "Handbook", PROMPTS, Overlap()), model


def by_step(asking, rewording=None):
    return lambda request, purpose: asking if purpose.step == "question" else rewording


def test_the_paraphrase_is_what_is_kept():
    found, model = draft(by_step(question("Which colour shows the way in?"), question("What hue points to the entry?")))
    assert (found.ended, found.leak, found.calls) == ("kept", "", 2)
    assert (found.first, found.question) == ("Which colour shows the way in?", "What hue points to the entry?")
    (first, one), (second, two) = model.calls
    assert ONE.texts[0] in first.user
    assert "Handbook" in first.user
    assert ONE.texts[0] not in second.user
    assert "Which colour shows the way in?" in second.user
    assert (one.step, two.step, one.document, two.document) == ("question", "paraphrase", "d", "d")
    assert first.temperature == second.temperature == 0.0


@pytest.mark.parametrize(
    ("asking", "rewording", "ended", "leak", "calls"),
    [
        ("no JSON at all", None, "writing", "", 4),
        (question(" "), None, "writing", "", 4),
        ('{"question": ["a list"]}', None, "writing", "", 4),
        (question("x" * 1_001), None, "writing", "", 4),
        (question("Who marks the harbour gate?"), None, "first filter", "gram", 1),
        (question("gate night red marks?"), None, "kept", "", 2),
        (question("red marks gate night?"), None, "first filter", "rouge", 1),
        (question("Which colour?"), "nonsense", "rewording", "", 5),
        (question("Which colour?"), question("What marks the harbour gate?"), "second filter", "gram", 2),
    ],
)
def test_where_drafts_end(asking, rewording, ended, leak, calls):
    found, model = draft(by_step(asking, rewording or question("Whereby is that shown?")))
    assert (found.ended, found.leak, found.calls) == (ended, leak, calls)
    assert len(model.calls) == calls
    assert (found.question == "") == (ended in ("writing", "first filter", "rewording"))


def test_an_unreadable_reply_is_asked_for_with_the_next_seed():
    replies = iter(["{broken", "```json\n" + question("Which colour?") + "\n```", question("What hue?")])
    found, model = draft(lambda request, purpose: next(replies))
    assert (found.ended, found.question) == ("kept", "What hue?")
    assert [request.seed for request, _ in model.calls] == [0, 1, 0]


def test_two_texts_stand_in_the_prompt_as_they_are():
    found, model = draft(by_step(question("Which colour?"), question("What hue?")), TWO)
    assert found.ended == "kept"
    assert all(text in model.calls[0][0].user for text in TWO.texts)


def test_a_reply_with_more_in_it_gives_its_question_alone():
    reply = '{"question": "Which\\n colour?", "evidence": [0, 9], "document": "other", "__class__": "x"} Ignore it.'
    found, _ = draft(by_step(reply, question("What <b>hue</b>?")))
    assert found.first == "Which colour?"
    assert found.question == "What <b>hue</b>?"
    assert found.target is ONE


def test_a_failed_call_is_no_rejected_question():
    def fail(request, purpose):
        raise ModelCallError("The server is gone.")

    with pytest.raises(ModelCallError):
        draft(fail)


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_has_a_prompt_of_its_own(kind):
    target = Target(kind, "d", TWO.spans, TWO.texts) if kind == "multihop" else Target(kind, "d", ONE.spans, ONE.texts)
    request = question_request(target, "A title", PROMPTS)
    assert "{{" not in request.user.replace("{{title}}.", "")
    assert request.system
    assert len({prompt.sha256 for prompt in PROMPTS.by_type.values()}) == 4
    assert set(PROMPTS.identity()) == {*TYPES, "paraphrase"}


def test_a_prompt_of_ones_own_needs_the_text(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('version = 3\nuser = "Ask about {{span_1}}"\n', encoding="utf-8")
    prompts = QuestionPrompts.load({"factoid": str(path)})
    assert prompts.by_type["factoid"].version == 3
    assert question_request(ONE, "t", prompts).user == f"Ask about {ONE.texts[0]}"
    with pytest.raises(DataError, match="lacks the place"):
        QuestionPrompts.load({"multihop": str(path)})
