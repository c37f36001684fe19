"""A model that asks nobody: what it counts, what it makes up, and what it knows already."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.rehearsal import Line, Rehearsal, Tally
from ragtrial.llm.spending import spending_for
from ragtrial.prefixes.reply import checked_fields, schema_of
from ragtrial.text import tokens

OPTIONS = ModelOptions("m", "ollama")
PURPOSE = Purpose("enriched", "d", 0)


def made_up(request, **more):
    return Rehearsal(**({"lavish": False, "cache": None} | more)).model(OPTIONS).ask(request, PURPOSE)


def test_calls_are_counted_by_arm_step_and_model():
    counting = Rehearsal(lavish=False, cache=None)
    model = counting.model(OPTIONS)
    requests = [Request("be brief", f"tell me {number}", 50) for number in range(3)]
    with spending_for("E"):
        replies = [model.ask(request, PURPOSE) for request in requests]
    with spending_for("M"):
        assert model.ask(requests[0], PURPOSE) == replies[0]
    sizes = [tokens.count("be brief") + tokens.count(request.user) for request in requests]
    assert counting.lines[Line("E", "enriched", OPTIONS)] == Tally(
        calls=3, input_tokens=sum(sizes), output_tokens=sum(reply.output_tokens for reply in replies), limit=150
    )
    assert counting.lines[Line("M", "enriched", OPTIONS)] == Tally(shared=1)
    assert counting.documents == {("E", "d"): sum(sizes)}


@pytest.mark.parametrize("lavish", [False, True])
def test_a_made_up_reply_has_the_form_that_was_asked_for(lavish):
    reply = made_up(Request("", "x", 1000, schema=schema_of()), lavish=lavish)
    fields = checked_fields(json.loads(reply.text))
    assert len(fields.summary) in (999, 1000) if lavish else len(fields.summary.split()) == 45
    assert len(fields.key) in range(70, 81) if lavish else len(fields.key.split()) == 3
    assert fields.related_keys == ()
    assert len(fields.keywords) == 6
    assert reply.output_tokens <= 1000


def test_plain_words_take_a_share_of_the_limit_or_all_of_it():
    usual, most = (made_up(Request("", "x", 120), lavish=lavish) for lavish in (False, True))
    assert usual.output_tokens == 72
    assert most.output_tokens == 120


def test_different_calls_give_different_keys():
    schema = schema_of("key")
    keys = {json.loads(made_up(Request("", str(n), 99, schema=schema)).text)["key"] for n in range(200)}
    assert len(keys) > 190


SCHEMAS = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "null"}, {}]),
    lambda inner: (
        st.builds(lambda item: {"type": "array", "items": item}, inner)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3).map(
            lambda rows: {"type": "object", "properties": rows}
        )
    ),
    max_leaves=6,
)


@given(SCHEMAS, st.booleans())
def test_any_schema_gives_json(schema, lavish):
    json.loads(made_up(Request("", "x", 100_000, schema=schema), lavish=lavish).text)


def test_what_is_kept_is_given_as_it_is_and_not_counted(chat_server):
    chat_server.reply = "the real reply"
    options = ModelOptions("m", chat_server.url)
    request = Request("s", "u", 10)
    load(options).ask(request, PURPOSE)
    counting = Rehearsal(lavish=False)
    reply = counting.model(options).ask(request, PURPOSE)
    assert reply.text == "the real reply"
    assert reply.cached
    assert counting.model(options).ask(Request("s", "other", 10), PURPOSE).text != "the real reply"
    tally = counting.lines[Line("", "enriched", options)]
    assert (tally.calls, tally.kept) == (1, 1)
    assert len(chat_server.calls) == 1


def test_without_a_cache_nothing_is_made(chat_server, tmp_path):
    Rehearsal(lavish=False).model(OPTIONS).ask(Request("s", "u", 10), PURPOSE)
    assert not (tmp_path / "cache").exists()
    assert not (tmp_path / "ledger.jsonl").exists()
    assert chat_server.calls == []
