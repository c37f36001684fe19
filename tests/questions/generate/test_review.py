"""The sheet: what a person may change, what not, and what follows."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.parts import Span
from ragtrial.errors import DataError
from ragtrial.questions.generate.ask import Drafted
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.generate.review import parse_sheet, question_row, review, sheet_rows, tally
from ragtrial.questions.generate.targets import Target

SPAN = "Сторож зажигает маяк каждый вечер перед закатом."
DRAFTS = [
    Drafted(Target("factoid", "a.md", (Span(3, 51),), (SPAN,)), "kept", 2, "f", "Кто даёт свет?"),
    Drafted(Target("multihop", "b.md", (Span(0, 4), Span(9, 12)), ("fire", "ice")), "kept", 2, "f", "=1+1 <b>?"),
    Drafted(Target("structural", "b.md", (Span(0, 90),), ("all of it\u2028\r\n",)), "kept", 2, "f", "What happens?"),
]


def written(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def decided(*decisions):
    rows = list(sheet_rows(DRAFTS))
    for row, decision in zip(rows, decisions, strict=True):
        row.update(decision)
    return parse_sheet(written(rows), "sheet")


def test_a_fresh_sheet_comes_back_undecided():
    rows = parse_sheet(written(sheet_rows(DRAFTS)), "sheet")
    assert rows == list(sheet_rows(DRAFTS))
    assert tally(review(rows, Overlap())) == {"undecided": 3}
    assert [item.question for item in review(rows, Overlap())] == [None] * 3
    kept = review(rows, Overlap(), keep_undecided=True)
    assert [item.question for item in kept] == [question_row(draft) for draft in DRAFTS]


def test_decisions_are_followed_and_kept():
    rows = decided(
        {"decision": "edit", "edited": "  Чья работа —\nсвет? ", "note": "dim"},
        {"decision": "reject", "note": "not a question"},
        {"decision": "accept"},
    )
    one, two, three = review(rows, Overlap())
    assert (one.decision, one.before, one.after, one.note) == (
        "edit",
        "Кто даёт свет?",
        "Чья работа — свет?",
        "dim",
    )
    assert one.question == question_row(DRAFTS[0]) | {"question": "Чья работа — свет?"}
    assert (two.question, two.note) == (None, "not a question")
    assert three.question == question_row(DRAFTS[2])
    assert tally([one, two, three]) == {"edit": 1, "reject": 1, "accept": 1}


def test_an_edit_that_the_filter_would_stop_is_kept_and_told():
    rows = decided({"decision": "edit", "edited": "Сторож зажигает маяк каждый день?"}, {}, {})
    item = review(rows, Overlap())[0]
    assert item.leak == "gram"
    assert item.question["question"] == "Сторож зажигает маяк каждый день?"


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"question": "Other?"}, "were changed; a better question goes into 'edited'"),
        ({"evidence": []}, "were changed"),
        ({"id": "x"}, "were changed"),
        ({"decision": "yes"}, "'yes' is no decision"),
        ({"decision": 1}, "are texts"),
        ({"decision": "edit"}, "'edited' is blank"),
        ({"edited": "Better?"}, "has an edit not decided for"),
        ({"decision": "accept", "edited": "Better?"}, "has an edit not decided for"),
        ({"surprise": 1}, "unknown key 'surprise'"),
    ],
)
def test_faults_name_their_line(change, part):
    rows = list(sheet_rows(DRAFTS))
    rows[1].update(change)
    with pytest.raises(DataError) as caught:
        parse_sheet("\ufeff" + written(rows), "sheet.jsonl")
    assert part in caught.value.message
    assert "sheet.jsonl:2: " in caught.value.message


def test_all_faults_at_once():
    row = next(sheet_rows(DRAFTS))
    lines = [json.dumps(row), "not JSON", "[1]", json.dumps({"id": "x"}), json.dumps(row), "", '{"a":' * 5_000]
    with pytest.raises(DataError) as caught:
        parse_sheet("\r\n".join(lines), "s")
    message = caught.value.message
    for part in ("s:2: it is not JSON", "s:3: it is no object", "s:4: it lacks type", "s:5: the id", "s:7: it is not"):
        assert part in message


@given(st.text(min_size=1))
def test_any_evidence_can_be_written_and_read_back(text):
    drafts = [Drafted(Target("factoid", "d", (Span(0, len(text)),), (text,)), "kept", 2, "f", "Q?")]
    sheet = written(sheet_rows(drafts)).encode("utf-8").decode("utf-8")
    (row,) = parse_sheet(sheet, "s")
    assert row["evidence"][0]["end"] == len(text)
