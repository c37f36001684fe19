"""Identities: one name for the same things, another for different ones."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.parsed import read_parsed_lines
from ragtrial.documents.plain import read_text
from ragtrial.storage.canonical import canonical_json
from ragtrial.trial.hashing import document_sha256, sha256

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@settings(max_examples=40)
@given(st.dictionaries(st.text(), VALUES))
def test_the_order_of_keys_does_not_matter(value):
    assert sha256(dict(reversed(value.items()))) == sha256(value)


@settings(max_examples=40)
@given(st.lists(VALUES, min_size=2))
def test_the_order_of_a_list_matters(values):
    assert (sha256(values) == sha256(values[::-1])) == (canonical_json(values) == canonical_json(values[::-1]))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, "1"),
        (True, 1),
        (None, "null"),
        (None, ""),
        ([], {}),
        (["ab"], ["a", "b"]),
        ({"a": {"b": 1}}, {"a": 1, "b": 1}),
        ("é", "e\u0301"),
        ("\ud800", "?"),
    ],
)
def test_what_differs_has_another_name(one, other):
    assert sha256(one) != sha256(other)


def test_the_name_is_the_sha256_of_canonical_json():
    assert canonical_json({"b": [1, "ж"], "a": None}) == '{"a":null,"b":[1,"ж"]}'
    assert sha256({"b": [1, "ж"], "a": None}) == hashlib.sha256('{"a":null,"b":[1,"ж"]}'.encode()).hexdigest()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), b"bytes"])
def test_what_json_does_not_know_has_no_name(value):
    with pytest.raises((TypeError, ValueError)):
        sha256(value)


def test_a_document_s_text_and_dialect_name_it():
    text = "# Title\n\nWords.\n"
    names = [
        document_sha256(read_markdown(text)),
        document_sha256(read_markdown(text, dialect="study")),
        document_sha256(read_text(text, id="a")),
        document_sha256(read_markdown(text + " ")),
        document_sha256(read_markdown("\ud800" + text)),
    ]
    assert len(set(names)) == len(names)
    assert document_sha256(read_markdown(text, id="a")) == names[0]


def test_a_document_whose_headings_are_not_in_its_text_is_known_by_them():
    line = '{{"id": "a", "text": "One. Two.", "sections": [{{"level": 1, "title": "T", "start": {start}}}]}}'
    first, second, again = (next(iter(read_parsed_lines([line.format(start=start)], "f.jsonl"))) for start in (0, 5, 0))
    assert document_sha256(first) == document_sha256(again) != document_sha256(second)
