import json

import pytest

from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError
from ragtrial.questions.load import read_questions
from ragtrial.questions.model import Evidence, Question

DOCUMENTS = (
    read_text("Alpha beta gamma.\n\nDelta  epsilon.", id="a.md"),
    read_text("Zeta eta theta. Alpha beta.", id="b.md"),
)


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "questions.jsonl"
        content = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text(content + "\n", encoding="utf-8")
        return path

    return write


def test_a_question_with_everything(write):
    path = write(
        {
            "id": "one",
            "question": "What?",
            "document": "a.md",
            "evidence": ["Alpha beta", {"start": 19, "end": 24}, {"document": "a.md", "start": 0, "end": 5}],
            "cluster": "group",
            "type": "factoid",
            "stratum": 7,
            "answers": ["Alpha.", "Да"],
            "nuggets": "alpha is first",
        }
    )
    reading = read_questions(path, DOCUMENTS)
    assert reading.questions == (
        Question(
            id="one",
            text="What?",
            evidence=(
                Evidence("Alpha beta", "a.md", ((0, 10),)),
                Evidence("Delta", "a.md", ((19, 24),)),
                Evidence("Alpha", "a.md", ((0, 5),)),
            ),
            document="a.md",
            cluster="group",
            type="factoid",
            stratum="7",
            answers=("Alpha.", "Да"),
            nuggets=("alpha is first",),
        ),
    )
    assert reading.excluded == reading.folded == reading.ambiguous == ()


def test_defaults_come_from_the_line_and_the_evidence(write):
    path = write(
        "",
        {"question": "Where?", "evidence": "Zeta eta"},
        "   ",
        {"question": "Both?", "evidence": ["gamma", "theta"]},
    )
    first, second = read_questions(path, DOCUMENTS).questions
    assert (first.id, first.document, first.cluster) == ("q2", "b.md", "b.md")
    assert (second.id, second.document, second.cluster) == ("q4", None, "a.md")
    assert first.evidence_groups == (("Zeta eta",),)


def test_a_question_without_locatable_evidence_is_excluded_by_name(write):
    path = write(
        {"question": "No evidence?", "evidence": []},
        {"question": "Half?", "evidence": ["Alpha beta", "nowhere to be found"]},
        {"id": "x", "question": "Range?", "evidence": {"document": "a.md", "start": 5, "end": 500}},
        {"question": "Document?", "document": "c.md", "evidence": ["Alpha"]},
        {"question": "Fine?", "evidence": ["Zeta"]},
    )
    reading = read_questions(path, DOCUMENTS)
    assert [question.id for question in reading.questions] == ["q5"]
    assert [(item.id, item.where) for item in reading.excluded] == [
        ("q1", f"{path}:1"),
        ("q2", f"{path}:2"),
        ("x", f"{path}:3"),
        ("q4", f"{path}:4"),
    ]
    assert [item.reason for item in reading.excluded] == [
        "it has no evidence",
        "evidence 2 of 2: the quote 'nowhere to be found' is not in any document",
        "evidence 1 of 1: the range [5, 500) is outside document 'a.md', which has 34 characters",
        "evidence 1 of 1: there is no document 'c.md'",
    ]


def test_folded_and_ambiguous_quotes_are_counted_by_question(write):
    path = write(
        {"question": "Folded?", "evidence": ["Delta epsilon."]},
        {"question": "Ambiguous?", "evidence": ["Alpha beta"]},
        {"question": "Neither?", "evidence": ["theta"]},
    )
    reading = read_questions(path, DOCUMENTS)
    assert reading.folded == ("q1",)
    assert reading.ambiguous == ("q2",)
    assert reading.questions[1].evidence[0].document == "a.md"


def test_evidence_given_twice_counts_once(write):
    reading = read_questions(write({"question": "?", "evidence": ["theta", "theta", "eta"]}), DOCUMENTS)
    assert reading.questions[0].evidence_texts == ("theta", "eta")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_byte_order_mark_and_line_ends(tmp_path, line_end):
    path = tmp_path / "q.jsonl"
    lines = ['{"question": "Ä\u2028?", "evidence": "theta"}', "", '{"question": "B?", "evidence": "eta"}']
    path.write_bytes(line_end.join(lines).encode("utf-8-sig"))
    questions = read_questions(path, DOCUMENTS).questions
    assert [(question.id, question.text) for question in questions] == [("q1", "Ä\u2028?"), ("q3", "B?")]


FAULTS = [
    ("{", "it is not JSON"),
    ("[1]", "it is a list, not an object"),
    ("[" * 100_000, "it cannot be read"),
    ('{"question": ' + "1" * 5000 + "}", "it cannot be read"),
    ('{"question": "\\ud800", "evidence": []}', "half of a surrogate pair"),
    ("null", "it is null, not an object"),
    ('{"question": "a", "question": "b", "evidence": []}', "it has 'question' twice"),
    ({"evidence": ["x"]}, "'question' is missing or blank"),
    ({"question": " ", "evidence": ["x"]}, "'question' is"),
    ({"question": 3, "evidence": ["x"]}, "'question' is not a text"),
    ({"question": "q"}, "'evidence' is missing"),
    ({"question": "q", "evidance": ["x"]}, "unknown key 'evidance'. Did you mean 'evidence'?"),
    ({"question": "q", "evidence": [""]}, "evidence 1 is blank"),
    ({"question": "q", "evidence": ["x", 3]}, "evidence 2 is a number, neither a quote nor"),
    ({"question": "q", "evidence": {"start": 0, "end": 1}}, "evidence 1 has offsets but no document"),
    ({"question": "q", "document": "a", "evidence": {"start": 1, "end": 1}}, "0 <= start < end, not 1 and 1"),
    ({"question": "q", "document": "a", "evidence": {"start": -1, "end": 1}}, "0 <= start < end, not -1 and 1"),
    ({"question": "q", "document": "a", "evidence": {"start": True, "end": 2}}, "0 <= start < end, not True and 2"),
    ({"question": "q", "document": "a", "evidence": {"start": 0}}, "0 <= start < end, not 0 and None"),
    ({"question": "q", "document": "a", "evidence": {"strat": 0}}, "unknown key 'strat' in evidence 1. Did you mean"),
    (
        {"question": "q", "document": "a", "evidence": {"document": "b", "start": 0, "end": 1}},
        "evidence 1 is in document 'b', but the question is about 'a'",
    ),
    ({"question": "q", "evidence": ["x"], "cluster": ["c"]}, "'cluster' is a list, not a text"),
    ({"question": "q", "evidence": ["x"], "id": True}, "'id' is true or false, not a text"),
    ({"question": "q", "evidence": ["x"], "id": ""}, "'id' is blank"),
    ({"question": "q", "evidence": ["x"], "answers": ["Yes", 3]}, "number 2 of 'answers' is a number, not a text"),
    ({"question": "q", "evidence": ["x"], "nuggets": " "}, "number 1 of 'nuggets' is blank"),
]


def test_every_fault_of_a_file_is_told_at_once_with_its_line(write):
    path = write(*(line for line, _ in FAULTS), {"question": "Fine?", "evidence": ["Zeta"]})
    with pytest.raises(DataError) as caught:
        read_questions(path, DOCUMENTS)
    first, *told = caught.value.message.split("\n")
    assert first == f"The questions file {path} has {len(FAULTS)} faults:"
    assert len(told) == len(FAULTS)
    for number, ((_, fault), line) in enumerate(zip(FAULTS, told, strict=True), start=1):
        assert line.startswith(f"{path}:{number}: ")
        assert fault in line
    assert '"question"' in caught.value.hint


def test_an_id_twice_is_a_fault_also_against_a_default_id(write):
    question = {"question": "q", "evidence": ["theta"]}
    with pytest.raises(DataError, match=r"jsonl:2: the id 'x' is already that of line 1\."):
        read_questions(write(question | {"id": "x"}, question | {"id": "x"}), DOCUMENTS)
    with pytest.raises(DataError, match=r"jsonl:2: the id 'q2' is already that of line 1\."):
        read_questions(write(question | {"id": "q2"}, question), DOCUMENTS)


def test_a_file_that_cannot_be_read(tmp_path, write):
    with pytest.raises(DataError, match=r"Cannot read the questions file .*no\.jsonl: no such file"):
        read_questions(tmp_path / "no.jsonl", DOCUMENTS)
    with pytest.raises(DataError, match="There is no question in"):
        read_questions(write("", " "), DOCUMENTS)
    (tmp_path / "bin.jsonl").write_bytes(b"\x00\x01\x02")
    with pytest.raises(DataError, match=r"bin\.jsonl: it is binary"):
        read_questions(tmp_path / "bin.jsonl", DOCUMENTS)


def test_groups_of_annotators_leave_out_those_without_evidence():
    evidence = (Evidence("x"), Evidence("y"))
    question = Question("q", "?", evidence, None, "c", annotators=((0, 1), (), (1,)))
    assert question.evidence_texts == ("x", "y")
    assert question.evidence_groups == (("x", "y"), ("y",))
