"""``ragtrial questions``: generated on a scripted server, reviewed by a made-up person."""

import json
import re
from zlib import crc32

import pytest

TOPICS = ["harbour", "forest", "desert"]
WORDS = [f"{start}{end}" for start in ("am", "be", "ce", "de", "em", "fi") for end in ("ber", "rch", "dar")]


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for number, topic in enumerate(TOPICS):
        parts = [f"# {topic.title()}\n"]
        for section in range(3):
            parts.append(f"## Part {section}\n")
            for paragraph in range(2):
                turn = number + section + paragraph
                words = " ".join(f"{word}{topic[0]}{section}{paragraph}" for word in WORDS[turn:] + WORDS[:turn])
                parts.append(f"{topic} {words} {words[::-1].replace(' ', 'z ')}.\n")
        (folder / f"{topic}.md").write_text("\n".join(parts), encoding="utf-8")
    (folder / "маяк.md").write_text("# Маяк\n\nкороткий текст\n", encoding="utf-8")
    return folder


def writes(call):
    """Ask about two words of the text; reword by turning them round."""
    if call.user.startswith("Question:"):
        asked = re.search(r"about (\w+) and (\w+) today (\w+)", call.user)
        return json.dumps({"question": f"What could {asked[2]} have to do with {asked[1]}, <i>если</i> {asked[3]}?"})
    words = re.findall(r"[a-z]+\d\d", call.user)
    mark = f"x{crc32(call.user.encode())}"
    return json.dumps({"question": f"Is there any news about {words[0]} and {words[-1]} today {mark}?"})


@pytest.fixture
def generate(call, chat_server, docs, tmp_path):
    chat_server.reply = writes

    def run(*more):
        return call(
            *("questions", "generate", docs, "--model", "tiny", "--url", chat_server.url, *more),
            *("--output", tmp_path / "out" / "questions.jsonl"),
        )

    return run


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_questions_sheet_and_funnel(generate, chat_server, docs, tmp_path):
    done = generate()
    assert done.code == 0, done.err
    assert "Funnel" in done.out
    assert "Lexical triviality" in done.out
    questions, sheet = (rows(tmp_path / "out" / name) for name in ("questions.jsonl", "questions.review.jsonl"))
    assert [row["id"] for row in questions] == [row["id"] for row in sheet]
    report = json.loads((tmp_path / "out" / "questions.funnel.json").read_text(encoding="utf-8"))
    kinds = {kind: counts["finals"] for kind, counts in report["funnel"].items()}
    assert kinds == {"factoid": 6, "underspecified": 6, "multihop": 6, "structural": 6}
    assert report["calls"] == len(chat_server.calls) == 48
    assert report["triviality"][-1]["type"] == "all"
    assert report["triviality"][-1]["questions"] == 24
    assert report["triviality"][-1]["in_document"] >= report["triviality"][-1]["in_corpus"] > 0.5
    for row, seen in zip(questions, sheet, strict=True):
        text = (docs / row["document"]).read_text(encoding="utf-8")
        assert [text[place["start"] : place["end"]] for place in row["evidence"]] == [
            place["text"] for place in seen["evidence"]
        ]
        assert "если" in row["question"]
    ledger = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["step"] for row in ledger} == {"question", "paraphrase"}


def test_the_file_is_a_questions_file_of_a_trial(generate, docs, tmp_path):
    from ragtrial.documents.folder import read_folder
    from ragtrial.questions.load import read_questions

    generate()
    reading = read_questions(tmp_path / "out" / "questions.jsonl", list(read_folder([docs])))
    assert len(reading.questions) == 24
    assert reading.excluded == ()
    assert {question.type for question in reading.questions} == {"factoid", "underspecified", "multihop", "structural"}
    assert {len(question.evidence) for question in reading.questions if question.type == "multihop"} == {2}


def test_the_same_command_again_pays_nothing_and_writes_the_same(generate, chat_server, tmp_path):
    generate()
    paid = len(chat_server.calls)
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert generate().code == 0
    assert len(chat_server.calls) == paid
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == files


def test_a_limit_and_json(generate):
    done = generate("--most", 2, "--per-document", 1, "--json")
    funnel = json.loads(done.out)["funnel"]
    assert {counts["finals"] for counts in funnel.values()} == {2}
    assert {counts["distinct"] for counts in funnel.values()} == {3}


def test_a_server_that_fails_for_good_is_no_rejected_question(generate, chat_server, tmp_path):
    chat_server.reply = chat_server.status(401)
    done = generate()
    assert done.code == 1
    assert "Error:" in done.err
    assert not (tmp_path / "out").exists()


def test_nonsense_is_counted(generate, chat_server):
    chat_server.reply = "I would rather not."
    done = generate("--per-document", 1, "--json")
    report = json.loads(done.out)
    assert all(counts["questions written"] == 0 for counts in report["funnel"].values())
    assert {row["ended"] for row in report["rejected"]} == {"writing"}
    assert report["calls"] == len(chat_server.calls) == 12 * 4
    assert report["triviality"] == []


def test_documents_without_a_paragraph_to_ask_about(call, chat_server, tmp_path):
    (tmp_path / "short.md").write_text("# Short\n\nToo short.\n", encoding="utf-8")
    done = call(
        *("questions", "generate", tmp_path / "short.md", "--model", "m", "--url", chat_server.url),
        *("--output", tmp_path / "q.jsonl"),
    )
    assert done.code == 1
    assert "no paragraph of 30 to 400 words" in done.err
    assert chat_server.calls == []


def test_a_review_is_applied_and_recorded(generate, call, tmp_path):
    generate("--per-document", 1)
    sheet = tmp_path / "out" / "questions.review.jsonl"
    lines = rows(sheet)
    lines[0] |= {"decision": "accept", "note": "fine"}
    lines[1] |= {"decision": "edit", "edited": "A better one?"}
    lines[2] |= {"decision": "reject"}
    lines[3] |= {"decision": "edit", "edited": " ".join(lines[3]["evidence"][0]["text"].split()[:6]) + "?"}
    sheet.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    counted = call("questions", "review", sheet)
    assert "12 questions: 1 accept, 2 edit, 1 reject, 8 undecided." in counted.out
    output = tmp_path / "reviewed.jsonl"
    done = call("questions", "review", sheet, "--output", output)
    assert done.code == 0
    assert "would not pass the filter (gram)" in done.err
    assert [row["question"] for row in rows(output)] == [lines[0]["question"], "A better one?", lines[3]["edited"]]
    record = json.loads((tmp_path / "reviewed.decisions.json").read_text(encoding="utf-8"))
    assert [item["decision"] for item in record["each"][:4]] == ["accept", "edit", "reject", "edit"]
    assert record["each"][0]["note"] == "fine"
    assert record["kept"] == 3
    everything = call("questions", "review", sheet, "--output", output, "--keep-undecided", "--json")
    assert json.loads(everything.out)["kept"] == 11 == len(rows(output))


def test_decisions_are_never_overwritten(generate, chat_server, tmp_path):
    generate("--per-document", 1)
    sheet = tmp_path / "out" / "questions.review.jsonl"
    lines = rows(sheet)
    lines[0]["decision"] = "reject"
    sheet.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    before, paid = sheet.read_bytes(), len(chat_server.calls)
    done = generate()
    assert done.code == 1
    assert "holds decisions" in done.err
    assert sheet.read_bytes() == before
    assert len(chat_server.calls) == paid


@pytest.mark.parametrize("arguments", [("--prompt", "factoids=x.toml"), ("--prompt", "factoid"), ("--url", "nowhere")])
def test_usage(generate, arguments):
    done = generate(*arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_help(call):
    assert "generate" in call("questions", "--help").out
    assert "review" in call("questions", "--help").out
    assert call("questions", "nonsense").code == 2


def test_a_sheet_that_is_none(call, tmp_path):
    assert call("questions", "review", tmp_path / "missing.jsonl").code == 1
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe")
    assert call("questions", "review", tmp_path / "bad.jsonl").code == 1
