"""A real model on a real server: texts, schemas, counts and identities as they come."""

import pytest

from ragtrial.llm.base import Purpose, Request
from ragtrial.llm.bounds import TokenBounds, Weight
from ragtrial.llm.json_reply import ask_object
from ragtrial.llm.ledger_rows import read_rows
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prompt import load_prompt, prompt_names
from ragtrial.llm.wire import body_of

pytestmark = pytest.mark.slow

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 30},
        "keywords": {"type": "array", "maxItems": 1, "items": {"enum": ["pump", "oil"]}},
    },
    "required": ["title", "keywords"],
    "additionalProperties": False,
}
CHUNK = "Проверьте давление масла. Check the oil pressure before the pump starts. 检查油压。😀"


def test_a_real_reply_is_read_counted_and_kept(small_model: ModelOptions, tmp_path):
    model = load(small_model)
    request = Request("You index documents.", f"Name the topic of this text as JSON:\n{CHUNK}", 120, schema=SCHEMA)
    asked = ask_object(model, request, Purpose("enriched", "d", 0), lambda found: found)
    assert set(asked.value) == {"title", "keywords"}, "the server held the schema"
    assert set(asked.value["keywords"]) <= {"pump", "oil"}
    assert asked.attempts == 1
    again = ask_object(model, request, Purpose("enriched", "d", 0), lambda found: found)
    assert again.reply == asked.reply._replace(cached=True)
    (row,) = read_rows(tmp_path / "ledger.jsonl")
    assert (row["input_tokens"], row["output_tokens"]) == asked.reply[1:3]
    served = model.served()
    assert served.models == {"smollm2-135m": 1 + 1}
    assert len(served.fingerprints) == 1


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_goes_through(name: str, small_model: ModelOptions):
    places = ["answer", "chunk", "document", "keys", "last", "nuggets", "paragraphs", "pieces", "position", "previous"]
    places += ["question", "reply", "section", "span_1", "span_2", "title", "violations"]
    system, user = load_prompt(name, places).fill(dict.fromkeys(places, CHUNK))
    reply = load(small_model).ask(Request(system, user, 8), Purpose(name))
    assert reply.text.strip()
    assert reply.input_tokens > 60
    assert 1 <= reply.output_tokens <= 8


def test_the_bound_of_tokens_holds_on_a_real_tokenizer(small_model: ModelOptions):
    for text in (
        CHUNK,
        CHUNK * 10,
        "word " * 200,
        "😀" * 50,
        "{}[]\\\"'" * 30,
        "давление " * 60,
        "检查油压" * 50,
        "1234567890" * 30,
        " " * 200,
        "x",
    ):
        request = Request("", text, 1)
        body = body_of(small_model, request, structured=True)
        assert load(small_model).ask(request, Purpose("s")).input_tokens <= TokenBounds().of(Weight.of_body(body)), text


def test_the_same_seed_gives_the_same_reply(small_model: ModelOptions, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    model = load(small_model)
    replies = [model.ask(Request("", "Say a word.", 12), Purpose("s")) for _ in range(2)]
    assert replies[0].text == replies[1].text != ""
    assert not replies[1].cached


def test_a_text_beyond_the_window_is_an_error_of_the_server(small_model: ModelOptions):
    from ragtrial.errors import ModelCallError

    with pytest.raises(ModelCallError, match="status 400"):
        load(small_model).ask(Request("", "word " * 9000, 5), Purpose("s", "d"))
