"""Evidence as sections, alternatives, and quotes that are only like the text; and questions written and read again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.parts import Span
from ragtrial.errors import DataError
from ragtrial.questions import rescue
from ragtrial.questions.load import read_questions
from ragtrial.questions.locate import Quote
from ragtrial.questions.model import Evidence, Place, Question
from ragtrial.questions.rescue import nearest_text
from ragtrial.questions.write import questions_text

TEXT = """# Guide

Welcome to the guide of all things.

## Lamps

Lamps are lit at dusk by the keeper of the tower.

## Ships

Ships wait outside the harbour until the tide has turned.
"""
DOCUMENT = read_markdown(TEXT, id="guide.md")


@pytest.fixture
def read(tmp_path):
    def read_lines(*lines):
        path = tmp_path / "q.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        return read_questions(path, [DOCUMENT])

    return read_lines


@pytest.mark.parametrize(
    "evidence",
    ["guide.md#lamps", "guide > Lamps", {"section": "guide.md#lamps"}, {"section": "#lamps", "document": "guide.md"}],
)
def test_a_section_is_evidence(read, evidence):
    reading = read({"question": "When?", "evidence": evidence})
    (question,) = reading.questions
    assert question.evidence_texts == ("Lamps are lit at dusk by the keeper of the tower.",)
    ((start, end),) = question.evidence[0].spans
    assert TEXT[start:end] == question.evidence_texts[0]
    assert (reading.folded, reading.fuzzy, reading.ambiguous) == ((), (), ())


def test_a_quote_that_looks_like_a_section_is_still_a_quote(tmp_path):
    document = read_markdown("Press a > b to go on.\n", id="x.md")
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"question": "?", "evidence": "a > b"}), encoding="utf-8")
    assert read_questions(path, [document]).questions[0].evidence_texts == ("a > b",)


def test_a_section_that_is_not_there_is_told(read):
    (excluded,) = read({"question": "?", "evidence": {"section": "guide.md#ufo"}}).excluded
    assert "there is no section 'guide.md#ufo'" in excluded.reason


def test_a_quote_with_slips_is_taken_for_the_text_most_like_it(read):
    reading = read({"question": "When?", "evidence": "Lamps are lit at dusk by the keepr of the  tower"})
    assert reading.fuzzy == ("q1",)
    assert reading.questions[0].evidence_texts == ("Lamps are lit at dusk by the keeper of the tower",)


@pytest.mark.parametrize("quote", ["Lamps were never lit and nobody came to look for them", "Lamps are lot"])
def test_a_quote_that_is_too_unlike_or_too_short_is_not_taken(read, quote):
    (excluded,) = read({"question": "When?", "evidence": quote}).excluded
    assert "is not in any document" in excluded.reason


LAMPS = "\n\n".join(f"Lamp {n} {m} shines w{n}x{m}x0 all night long." for n in range(5) for m in range(5))


@pytest.mark.parametrize(
    ("quote", "taken"),
    [
        ("Lamp 3 0 shines w3x0x0 all nigt long", "Lamp 3 0 shines w3x0x0 all night long"),
        ("Lamp 4 4 shines w4x4x0 all nigt long", "Lamp 4 4 shines w4x4x0 all night long"),
        ("Lamp 3 9 shines w3x9x0 all night long", None),
        ("Lamp 30 shines w3x0x0 all night long", None),
        ("Lamp \u0663 \u0660 shines w3x0x0 all night long", "Lamp 3 0 shines w3x0x0 all night long"),
    ],
)
def test_slips_are_of_letters_and_never_of_digits(tmp_path, quote, taken):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"question": "?", "evidence": quote}), encoding="utf-8")
    reading = read_questions(path, [read_markdown(LAMPS, id="lamps.md")])
    assert [text for question in reading.questions for text in question.evidence_texts] == [taken] * bool(taken)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_number_that_differs_is_never_taken(one, other):
    document = read_markdown(f"The limit of all requests of one account together is {one} an hour.\n", id="limits.md")
    quote = Quote(f"The limit of al requests of one account together is {other} an hour")
    near = nearest_text(quote, [document], 90.0, same_numbers=True)
    assert (near is not None) == (one == other)


def test_without_the_library_nothing_is_guessed(read, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz", None)
    assert read({"question": "?", "evidence": "Lamps are lit at dusk by the keepr of the tower"}).excluded


@given(st.integers(0, len(TEXT) - 1), st.integers(20, 60), st.text(alphabet="xyz", min_size=1, max_size=2))
def test_the_nearest_text_lies_in_the_document(start, length, slip):
    quote = TEXT[start : start + length] + slip
    near = nearest_text(Quote(quote), [DOCUMENT])
    if near is not None:
        assert TEXT[near.span.start : near.span.end] == near.text
        assert 0 <= near.likeness <= 100


def test_alternatives_need_one_of_each(read):
    reading = read(
        {
            "question": "?",
            "evidence": [
                "Welcome to the guide",
                ["Lamps are lit", "Ships wait outside", "Nobody said this ever before"],
            ],
        }
    )
    (question,) = reading.questions
    assert question.evidence_texts == ("Welcome to the guide", "Lamps are lit", "Ships wait outside")
    assert question.evidence_groups == (
        ("Welcome to the guide", "Lamps are lit"),
        ("Welcome to the guide", "Ships wait outside"),
    )


def test_alternatives_of_which_none_is_there_exclude_the_question(read):
    assert read({"question": "?", "evidence": [["Nobody said this", "Nor this"]]}).excluded


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"evidence": [[]]}, "a list of alternatives without any"),
        ({"evidence": [["a", "b", "c", "d", "e"]] * 3}, "its alternatives combine in 125 ways; 64 are the most"),
        ({"evidence": ["a"], "annotators": [[1]]}, "'annotators' needs"),
        ({"evidence": ["a"], "annotators": 1}, "'annotators' needs"),
        ({"evidence": [["a", "b"]], "annotators": [[0]]}, "of which only one is possible"),
        ({"evidence": "a", "withheld": [3]}, "number 1 of 'withheld' is a number"),
        ({"evidence": "a", "withheld": [{"start": 1, "end": 2}]}, "has offsets but no document"),
        ({"evidence": "a", "withheld": [{"document": "x", "start": 2, "end": 2}]}, "0 <= start < end"),
        ({"evidence": {"quote": "a", "where": 1}}, "unknown key 'where'"),
    ],
)
def test_wrong_lines_are_told(read, line, message):
    with pytest.raises(DataError, match=message):
        read({"question": "?"} | line)


spans = st.integers(0, len(TEXT) - 2).flatmap(lambda a: st.tuples(st.just(a), st.integers(a + 1, len(TEXT))))


@given(
    st.lists(spans, min_size=1, max_size=4, unique=True),
    st.lists(spans, max_size=2),
    st.text(min_size=1, max_size=20).filter(lambda text: text.strip() and text.isprintable()),
    st.sampled_from([None, "links", "model"]),
    st.data(),
)
def test_questions_come_back_as_they_were_written(tmp_path_factory, pieces, withheld, text, origin, data):
    evidence = tuple(Evidence(TEXT[a:b], "guide.md", (Span(a, b),)) for a, b in pieces)
    numbers = st.lists(st.integers(0, len(pieces) - 1), min_size=1, unique=True).map(tuple)
    question = Question(
        id="one",
        text=text,
        evidence=evidence,
        document="guide.md",
        cluster="c",
        type=data.draw(st.sampled_from([None, "kind"])),
        annotators=tuple(data.draw(st.lists(numbers, max_size=3, unique=True))),
        answers=("Yes",),
        nuggets=("fact",),
        withheld=tuple(Place("guide.md", a, b) for a, b in withheld),
        origin=origin,
    )
    path = tmp_path_factory.mktemp("written") / "q.jsonl"
    path.write_text(questions_text([question]), encoding="utf-8")
    assert read_questions(path, [DOCUMENT]).questions == (question,)


def test_the_threshold_is_what_the_documentation_says():
    assert rescue.LEAST_LIKENESS == 90.0
