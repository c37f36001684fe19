"""JSON is found in what models write around it, and nothing in a reply can do harm."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.llm.base import Purpose, Reply, Request
from ragtrial.llm.json_reply import ask_object, parse_object, without_thinking

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
WORDS = st.text(st.characters(exclude_characters="{}<", exclude_categories=("Cs",)))


@given(OBJECTS, WORDS, WORDS, st.booleans())
def test_an_object_is_found_whatever_stands_around_it(value: dict, before: str, after: str, fenced: bool):
    written = json.dumps(value, ensure_ascii=False, indent=1)
    text = f"{before}\n```json\n{written}\n```\n{after}" if fenced else f"{before}{written}{after}"
    assert parse_object(text) == value


@given(st.text(st.characters(exclude_categories=())) | st.text('{}[]"\\:,a1 \n`<>'))
def test_no_text_breaks_it(text: str):
    found = parse_object(text)
    assert found is None or isinstance(found, dict)
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", None),
        ("no object", None),
        ("[1, 2]", None),
        ('"{"', None),
        ("{'a': 1}", None),
        ("{}", {}),
        ('Use {braces}. {"a": "}"} {"a": 2}', {"a": "}"}),
        ('{"a": "\\"}{"}', {"a": '"}{'}),
        # An inner object of one that was cut off is not the reply.
        ('{"title": "x", "entities": [{"name": "y"}', None),
        ('{"title": "x", oops, "entities": [{"name": "y"}]}', None),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": NaN, "b": -Infinity, "c": 1e999, "d": 1.5}', {"a": None, "b": None, "c": None, "d": 1.5}),
        ('{"a": "\\ud800x"}', {"a": "\N{REPLACEMENT CHARACTER}x"}),
        ('{"\\ud83d\\ude00": "\\ud83d\\ude00"}', {"😀": "😀"}),
        ('{"a": 1' + "0" * 5000 + "}", None),
        ('<think>{"a": 0}</think>{"a": 1}', {"a": 1}),
        ('\ufeff{"ключ": "水泵\\u0000"}\r\n', {"ключ": "水泵\0"}),
        ('{"__class__": "os.system", "a": "__import__(\'os\')"}', {"__class__": "os.system", "a": "__import__('os')"}),
    ],
)
def test_what_is_taken_for_the_reply(text: str, found: dict | None):
    assert parse_object(text) == found


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 200_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        "{" * 1_000_000,
        "{}x" * 300_000,
        '{"' + '\\"' * 500_000,
        '{"' * 500_000,
        "<think>" * 150_000,
        json.dumps({"title": "x" * 1_000_000}),
        "[" * 500_000 + '{"a": ' + "[" * 500_000,
    ],
    ids=["deep", "deep and whole", "braces", "pairs", "escapes", "quotes", "thoughts", "long title", "lists"],
)
def test_a_megabyte_takes_no_time(text: str):
    start = time.process_time()
    parse_object(text)
    assert time.process_time() - start < 2


def test_the_thoughts_of_a_model_are_no_reply():
    assert without_thinking("<think>\nLet me see.\n</think>\n\nA sentence.") == "\n\nA sentence."
    assert without_thinking("It says <think> and </think>.") == "It says <think> and </think>."


class Scripted:
    """Answers each seed with its text."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.seeds: list[int] = []

    def ask(self, request: Request, purpose: Purpose) -> Reply:
        self.seeds.append(request.seed)
        return Reply(self.texts[request.seed], 1, 1)


def title(found: dict) -> str | None:
    return found.get("title")


@pytest.mark.parametrize(
    ("texts", "value", "attempts"),
    [
        (['{"title": "a"}'], "a", 1),
        (["nonsense", '{"title": "b"}'], "b", 2),
        (['{"no": 1}', "", '{"title": null}', '{"title": "c"}'], "c", 4),
        (["x", "x", "x", "x"], None, 4),
    ],
)
def test_a_bad_reply_is_asked_again_with_the_next_seed(texts: list[str], value: str | None, attempts: int):
    model = Scripted(*texts)
    asked = ask_object(model, Request("", "u", 9, seed=7), Purpose("s"), title)
    assert (asked.value, asked.attempts, asked.reply.text) == (value, attempts, texts[-1])
    assert model.seeds == list(range(attempts))
