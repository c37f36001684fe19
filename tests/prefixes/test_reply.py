"""The checks on each field of a reply: whatever comes, only the fields come out, each as what it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.fields import INDEXED, Entity, Fields, render
from ragtrial.prefixes.reply import ENTITY_TYPES, checked_fields, schema_of

GOOD = {
    "title": " Oil change ",
    "summary": "Says when.\n",
    "keywords": ["oil", " filter ", ""],
    "entities": [{"name": "Pump", "type": "TECH"}],
    "questions": ["When?", "How?"],
    "key": " Oil Change ",
    "related_keys": ["Filters", "unknown", "filters"],
}


def test_a_good_reply():
    assert checked_fields(GOOD, {"filters", "oil change"}) == Fields(
        "Oil change",
        "Says when.",
        ("oil", "filter"),
        (Entity("Pump", "TECH"),),
        ("When?", "How?"),
        "oil change",
        ("filters",),
    )


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("title", 7, ""),
        ("title", None, ""),
        ("title", "x" * 2000, "x" * 1000),
        ("title", " " * 900 + "y" * 2000, "y" * 1000),
        ("summary", ["a"], ""),
        ("keywords", "oil, filter ,, pump", ("oil", "filter", "pump")),
        ("keywords", ["oil", 7, None, {"a": 1}, "pump"], ("oil", "pump")),
        ("keywords", {"a": 1}, ()),
        ("questions", "When, and how?", ("When, and how?",)),
        ("questions", 3, ()),
        ("entities", ["Pump", {"name": "Oil"}, {"type": "TECH"}, {"name": " "}, 7], (Entity("Pump"), Entity("Oil"))),
        ("entities", [{"name": "Oil", "type": None}], (Entity("Oil", "CONCEPT"),)),
        ("entities", "Pump", ()),
        ("key", "X" * 100, "x" * 80),
        ("key", ["oil"], ""),
        ("related_keys", "A", ("a",)),
        ("related_keys", [1, "B ", "zzz"], ("b",)),
        ("related_keys", None, ()),
    ],
)
def test_each_check(field, value, expected):
    found = checked_fields({field: value}, {"a", "b"})
    assert getattr(found, field) == expected
    assert found == Fields()._replace(**{field: expected})


def test_its_own_new_key_is_no_related_key():
    found = checked_fields({"key": "new", "related_keys": ["new", "old"]}, {"old"})
    assert found.related_keys == ("old",)


def test_what_else_a_reply_holds_is_not_looked_at():
    extra = GOOD | {"prefix": "hacked", "spans": [[0, 9]], "__class__": "x", "fields": {"title": "y"}}
    assert checked_fields(extra, {"filters"}) == checked_fields(GOOD, {"filters"})


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*GOOD, "name", "type"]), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([*GOOD, "other"]), _json))
def test_anything_goes_in_and_fields_come_out(reply):
    found = checked_fields(reply, {"a"})
    assert isinstance(found.title, str)
    assert all(isinstance(text, str) and text == text.strip() != "" for text in (*found.keywords, *found.questions))
    assert all(isinstance(part, str) for entity in found.entities for part in entity)
    assert set(found.related_keys) <= {"a"}
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_the_schema_asks_for_the_fields():
    assert schema_of()["required"] == list(Fields._fields)
    assert schema_of("title")["properties"].keys() == {"title"}
    assert schema_of()["properties"]["entities"]["items"]["properties"]["type"]["enum"] == list(ENTITY_TYPES)


def test_rendering():
    fields = checked_fields(GOOD, ())
    assert render(fields) == "Oil change\nSays when.\noil, filter\nWhen? How?\n\n"
    assert render(fields, ("questions", "title")) == "When? How?\nOil change\n\n"
    assert render(fields, ("key", "entities")) == "oil change\nPump\n\n"
    assert render(fields._replace(title="", questions=()), INDEXED) == "Says when.\noil, filter\n\n"
    assert render(Fields()) == render(None) == ""
