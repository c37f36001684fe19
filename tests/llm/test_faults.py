"""Everything that servers do instead of answering: tried again, or told in a sentence, and booked as what it cost."""

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ragtrial.errors import ModelCallError, UsageError
from ragtrial.llm import retry

from .server import ChatServer, Outcome

BUSY = ChatServer.busy()


def answer(message: object, **more: object) -> Outcome:
    body = {"choices": [{"message": message, "finish_reason": "stop"}], **more}
    return ChatServer.raw(json.dumps(body))


FREE = {
    "429": BUSY,
    "429 with seconds": ChatServer.busy("0.01"),
    "429 with a date": ChatServer.busy(format_datetime(datetime.now(UTC) - timedelta(seconds=3), usegmt=True)),
    "429 with nonsense": ChatServer.busy("soon"),
    "500": ChatServer.status(500),
    "503": ChatServer.status(503, headers={"Retry-After": "0"}),
    "529": ChatServer.status(529),
    "200 with an error": ChatServer.error_body("overloaded"),
    "200 with a busy code": ChatServer.error_body("slow down", 429),
    "200 with a word as code": ChatServer.error_body("no", "server_error"),
    "200 with a plain error": ChatServer.raw('{"error": "no"}'),
    "an error in the choice": ChatServer.raw('{"choices": [{"message": {}, "error": {"code": 502, "message": "x"}}]}'),
}
UNCLEAR = {
    "empty body": ChatServer.raw(b""),
    "blank body": ChatServer.raw(b" \n"),
    "truncated JSON": ChatServer.raw(b'{"choices": [{"message": {"content": "he'),
    "HTML": ChatServer.raw("<html>Bad gateway</html>", {"Content-Type": "text/html"}),
    "a list": ChatServer.raw("[]"),
    "a number": ChatServer.raw("3"),
    "deep JSON": ChatServer.raw("[" * 100_000),
    "no choices": ChatServer.raw("{}"),
    "null choices": ChatServer.raw('{"choices": null}'),
    "empty choices": ChatServer.raw('{"choices": []}'),
    "choices that are none": ChatServer.raw('{"choices": [3]}'),
    "no message": ChatServer.raw('{"choices": [{}]}'),
    "null content": answer({"content": None}),
    "a number as content": answer({"content": 3}),
    "bytes that are no text": ChatServer.raw(b"\xff\xfe\x00{"),
    "a body that is no gzip": ChatServer.raw(b"{}", {"Content-Encoding": "gzip"}),
    "closed connection": ChatServer.close(),
    "gateway time-out": ChatServer.status(504),
}


@pytest.mark.parametrize("fault", [*FREE, *UNCLEAR])
def test_a_fault_is_tried_again(fault: str, chat_server, ask, rows):
    chat_server.script = [(FREE | UNCLEAR)[fault]]
    reply = ask()
    assert (reply.text, reply.cached, len(chat_server.calls)) == ("ok", False, 2)
    assert [row.get("unclear", False) for row in rows()] == ([True, False] if fault in UNCLEAR else [False])
    assert chat_server.calls[0].body == chat_server.calls[1].body


def test_a_call_goes_through_seven_faults_that_cost_nothing(chat_server, ask, rows):
    chat_server.script = [BUSY, ChatServer.status(500), ChatServer.error_body()] * 2 + [BUSY]
    assert ask().text == "ok"
    assert len(chat_server.calls) == 8
    assert len(rows()) == 1


@pytest.mark.parametrize(
    ("outcome", "tries", "message"),
    [
        (BUSY, 8, 'answered with the status 429: {"error": {"message": "too many requests"}} after 8 tries. Try again'),
        (ChatServer.status(500, "оой"), 8, "answered with the status 500"),
        (ChatServer.raw(b""), 3, "answered with an empty body after 3 tries. Replies that were received are kept"),
        (ChatServer.status(400, "max_tokens is too large"), 1, "max_tokens is too large"),
        (ChatServer.status(401, "bad"), 1, "Check the key in the environment"),
        (ChatServer.status(402, "pay"), 1, "no money left"),
        (ChatServer.status(404, "no model"), 1, "Check the url and the name of the model"),
        (ChatServer.error_body("no such model", 404), 1, "answered with an error in its body: no such model"),
        (Outcome("\x1b[31mred\x07\n水".encode(), 403), 1, "status 403: [31mred 水"),
        (ChatServer.busy("3600"), 1, "status 429"),
        (ChatServer.status(400, "x" * 10_000), 1, "x..."),
    ],
)
def test_a_call_that_stays_without_a_reply_is_an_error(
    outcome, tries: int, message: str, chat_server, ask, monkeypatch
):
    monkeypatch.setattr(retry, "_FIRST_WAIT_SECONDS", 0.001)
    chat_server.reply = outcome
    with pytest.raises(ModelCallError) as error:
        ask()
    said = str(error.value)
    assert said.startswith(f"The step 'enriched' of 'guide.md', chunk 3 got no reply: {chat_server.url} ")
    assert message in said
    assert len(said) < 700
    assert said.isprintable()
    assert len(chat_server.calls) == tries
    # Nothing of it is kept: the next run asks again.
    chat_server.reply = "now"
    assert ask().text == "now"


def test_retry_after_is_waited_for(chat_server, ask):
    chat_server.script = [ChatServer.busy("0.4")]
    ask()
    first, second = chat_server.times
    assert 0.4 <= second - first < 30


def test_retry_after_is_read_in_all_its_forms():
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 85 < retry.retry_after({"retry-after": later}) < 91
    assert 85 < retry.retry_after({"retry-after": later.replace("GMT", "-0000")}) < 91
    assert retry.retry_after({"retry-after": "7"}) == 7
    assert retry.retry_after({"retry-after-ms": "250", "retry-after": "7"}) == 0.25
    for nonsense in ("", "soon", "-1", "inf", "nan", "Mon, 99 Foo 2026"):
        assert retry.retry_after({"retry-after": nonsense}) is None


def test_a_server_that_is_silent_is_given_up(chat_server, ask, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_TIMEOUT", "1")
    chat_server.reply = chat_server.slow(1.5)
    start = time.monotonic()
    with pytest.raises(ModelCallError, match="said nothing for 1 seconds after 3 tries"):
        ask()
    assert time.monotonic() - start < 60


def test_a_server_that_is_not_there_costs_nothing(chat_server, ask, rows):
    chat_server.close_down()
    with pytest.raises(ModelCallError, match=r"cannot be reached: .* after 8 tries"):
        ask()
    assert rows() == []


def test_a_key_that_is_missing_ends_the_run(ask, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"needs a key, and MY_KEY is neither in the environment nor in \.env"):
        ask(key_variable="MY_KEY")


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_no_text_can_be_the_whole_answer(finish: str, chat_server, ask):
    chat_server.script = [lambda call: chat_server.text(call, None, finish)]
    reply = ask()
    assert (reply.text, reply.finish, len(chat_server.calls)) == ("", finish, 1)


def test_a_refusal_is_an_answer_without_text(chat_server, ask):
    chat_server.script = [answer({"content": None, "refusal": "I cannot."})]
    assert ask().text == ""


def test_a_text_in_parts_is_put_together(chat_server, ask):
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "a "}, {"type": "text", "text": "b"}]
    chat_server.script = [answer({"content": parts})]
    assert ask().text == "a b"


def test_what_no_file_can_hold_is_replaced(chat_server, ask):
    chat_server.reply = lambda call: chat_server.raw(chat_server.text(call, "x\ud800y 水泵 😀").body)
    assert ask().text == "x\N{REPLACEMENT CHARACTER}y 水泵 😀"


def test_null_content_that_was_counted_is_booked_as_paid(chat_server, ask, rows):
    chat_server.script = [answer({"content": None}, usage={"prompt_tokens": 5, "completion_tokens": 7})]
    ask()
    assert [(row["input_tokens"], row["output_tokens"]) for row in rows()] == [(5, 7), (2, 1)]
    assert not any("unclear" in row for row in rows())


SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}}


def test_a_server_without_schemas_is_asked_without_and_remembered(chat_server, model_of):
    def reply(call):
        return chat_server.status(400, "response_format is not supported") if call.schema else '{"title": "a"}'

    from ragtrial.llm.base import Purpose, Request

    chat_server.reply = reply
    model = model_of()
    for number in range(3):
        assert model.ask(Request("", f"{number}", 9, schema=SCHEMA), Purpose("s")).text == '{"title": "a"}'
    assert [call.schema is not None for call in chat_server.calls] == [True, False, False, False]


def test_a_refusal_for_another_reason_does_not_end_schemas(chat_server, model_of):
    from ragtrial.llm.base import Purpose, Request

    model = model_of()
    chat_server.script = [chat_server.status(400, "schema or context too long")] * 2
    with pytest.raises(ModelCallError, match="too long"):
        model.ask(Request("", "long", 9, schema=SCHEMA), Purpose("s"))
    model.ask(Request("", "short", 9, schema=SCHEMA), Purpose("s"))
    assert [call.schema is not None for call in chat_server.calls] == [True, False, True]


def test_no_schema_is_sent_where_the_user_says_so(chat_server, ask):
    ask(structured=False, schema=SCHEMA)
    assert chat_server.calls[0].schema is None
