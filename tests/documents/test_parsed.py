import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.parsed import read_parsed, read_parsed_lines
from ragtrial.errors import DataError


def line(**keys):
    return json.dumps({"id": "a", "text": "Title\nBody one.\n\nSub and two.", **keys}, ensure_ascii=False)


def test_headings_are_ranges_of_the_text(laws):
    headings = [{"level": 1, "title": "T", "start": 0, "end": 5}, {"level": 2, "title": "S", "start": 17, "end": 20}]
    document = read_parsed(line(headings=headings, title="The title", meta={"group": "g"}))
    assert document.verify() == []
    assert [section.path for section in document.sections] == [("T",), ("T", "S")]
    assert document.text[document.paragraphs[1].start : document.paragraphs[1].end] == " and two."
    assert dict(document.meta) == {"group": "g", "title": "The title"}


def test_sections_begin_where_they_are_said_to():
    sections = [{"level": 1, "title": "T", "start": 6}, {"level": 5, "title": "S", "start": 17}]
    document = read_parsed(line(sections=sections))
    assert document.verify() == []
    assert [(section.path, section.level, section.start, section.end) for section in document.sections] == [
        ((), 1, 0, 6),
        (("T",), 1, 6, 17),
        (("T", "S"), 4, 17, 29),
    ]
    assert len(document.paragraphs) == 3


def test_formats():
    assert read_parsed('{"id": "a", "text": "# H"}').headings == ()
    assert read_parsed('{"id": "a", "text": "# *H*", "format": "commonmark"}').headings[0].title == "H"
    assert read_parsed('{"id": "a", "text": "# *H*", "format": "study"}').dialect == "study"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"id": "a"}', "no 'text'"),
        ('{"id": 1, "text": ""}', "no 'id'"),
        ('{"id": " ", "text": ""}', "'id' is empty"),
        (line(heading=1), "unknown key 'heading'"),
        (line(meta=1), "'meta' is not a JSON object"),
        (line(headings=[], sections=[]), "both 'headings' and 'sections'"),
        (line(format="html"), "'format' 'html' is unknown"),
        (line(headings=[1]), "entry 0 of its 'headings'"),
        (line(headings=[{"level": 1, "title": "x", "start": 0}]), "just the keys end, level, start, title"),
        (line(headings=[{"level": 1, "title": "x", "start": 0, "end": 99}]), r"covers \[0, 99\)"),
        (line(headings=[{"level": 1, "title": "x", "start": True, "end": 2}]), "of another type"),
        (line(sections=[{"level": 0, "title": "x", "start": 0}]), "the level 0"),
        (line(sections=[{"level": 1, "title": "x", "start": n} for n in (4, 2)]), "not after the one before"),
        ('{"id": "a", "text": "\\ud800"}', "half of a surrogate pair at character 0"),
    ],
)
def test_faults(text, message):
    with pytest.raises(DataError, match=message):
        read_parsed(text)


def test_lines_are_read_one_by_one_and_faults_are_placed():
    lines = ["\ufeff" + line(), "", "{", line(), line(id="b")]
    found = list(read_parsed_lines(lines, "f.jsonl"))
    assert [getattr(item, "id", None) for item in found] == ["a", None, None, "b"]
    assert "f.jsonl:3: it is not JSON" in str(found[1])
    assert str(found[2]) == "f.jsonl:4: the id 'a' is there already, on line 1."
    assert found[3].locate(20) == "b:5"


@given(st.text(), st.lists(st.tuples(st.integers(1, 8), st.integers(0, 40), st.integers(0, 10)), max_size=5))
def test_offsets_are_exact_or_refused(text, given_headings):
    headings = [
        {"level": level, "title": "t", "start": start, "end": start + size} for level, start, size in given_headings
    ]
    try:
        document = read_parsed(json.dumps({"id": "a", "text": text, "headings": headings}))
    except DataError:
        return
    assert document.text == text
    assert document.verify() == [] or headings
    assert [block.start for block in document.blocks] == sorted(block.start for block in document.blocks)
