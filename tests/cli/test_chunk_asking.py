"""`ragtrial chunk` with an arm that asks a model: resumable, capped, and paid only for what changed."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

MANUAL = {
    f"{name}.md": f"# {name}\n\nAbout the {name}.\n\n## Oil\n\nOil of the {name}.\n\n## Care\n\nCare for the {name}.\n"
    for name in ("lamp", "motor", "pump", "valve")
}


def said(call):
    """Answer with fields made of the passage, and one key for all of a document but its first chunk."""
    passage = call.user.split("<passage>\n")[1].split("\n</passage>")[0]
    first = "About" in passage
    return json.dumps(
        {
            "title": passage.split("\n")[0],
            "summary": f"Says: {passage.strip().splitlines()[-1]}",
            "keywords": ["<b>word</b>"],
            "entities": [],
            "questions": [],
            "key": "overview" if first else "upkeep",
            "related_keys": ["overview", "upkeep"],
        }
    )


@pytest.fixture
def manual(tmp_path):
    folder = tmp_path / "manual"
    folder.mkdir()
    for name, text in MANUAL.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def arm(chat_server):
    chat_server.reply = said
    return f"headers(min=0) + enriched('small', url='{chat_server.url}') + merge('key')"


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_chunks_with_fields_and_one_call_a_chunk(call, manual, arm, chat_server, tmp_path):
    output = tmp_path / "chunks.jsonl"
    done = call("chunk", manual, "--arm", arm, "--output", output)
    assert (done.code, done.err) == (0, "8 chunks from 4 documents.\n")
    assert len(chat_server.calls) == 12
    rows = rows_of(output)
    assert [row["fields"]["key"] for row in rows] == ["overview", "upkeep"] * 4
    merged = rows[1]
    assert merged["text"] == "## Oil\n\nOil of the lamp.\n\n## Care\n\nCare for the lamp.\n"
    assert len(merged["spans"]) == 1
    assert merged["fields"]["related_keys"] == ["overview", "upkeep"]
    assert merged["prefix"] == "## Oil\nSays: Oil of the lamp.\n<b>word</b>\n\n"


def test_again_nothing_is_asked_and_after_a_change_only_what_changed(call, manual, arm, chat_server, tmp_path):
    first, second, third = (tmp_path / f"{number}.jsonl" for number in range(3))
    assert call("chunk", manual, "--arm", arm, "--output", first).code == 0
    assert call("chunk", manual, "--arm", arm, "--output", second).code == 0
    assert len(chat_server.calls) == 12
    assert second.read_bytes() == first.read_bytes()
    (manual / "motor.md").write_text(MANUAL["motor.md"].replace("Oil of", "New oil of"))
    assert call("chunk", manual, "--arm", arm, "--output", third).code == 0
    asked = [request.user for request in chat_server.calls[12:]]
    # The first chunk of the document is as it was; what follows knows of the change.
    assert len(asked) == 2
    assert all("motor" in user for user in asked)
    changed = [(a, b) for a, b in zip(rows_of(first), rows_of(third), strict=True) if a != b]
    assert {a["document"] for a, _ in changed} == {"motor.md"}


def test_a_document_that_fails_is_named_and_left_out_and_the_rest_is_kept(call, manual, arm, chat_server, tmp_path):
    output = tmp_path / "chunks.jsonl"
    chat_server.reply = lambda call: chat_server.status(400, "no") if "Oil of the motor" in call.user else said(call)
    done = call("chunk", manual, "--arm", arm, "--output", output)
    assert done.code == 1
    assert "6 chunks from 3 documents.\n" in done.err
    assert re.search(r"^Failed motor\.md: ", done.err, flags=re.MULTILINE)
    assert "Error: 1 document could not be asked about and is not in the output; the first: motor.md." in done.err
    assert {row["document"] for row in rows_of(output)} == {"lamp.md", "pump.md", "valve.md"}
    chat_server.reply = said
    before = len(chat_server.calls)
    assert call("chunk", manual, "--arm", arm, "--output", output).code == 0
    assert all("motor" in request.user for request in chat_server.calls[before:])
    assert len(rows_of(output)) == 8


def test_a_busy_server_that_talks_nonsense_now_and_then_changes_nothing(call, manual, arm, chat_server, tmp_path):
    for number in range(20):
        text = MANUAL["pump.md"].replace("pump", f"pump {number}")
        (manual / f"pump {number:02}.md").write_text(text)
    plain, faulty = tmp_path / "plain.jsonl", tmp_path / "faulty.jsonl"
    assert call("chunk", manual, "--arm", arm, "--output", plain).code == 0
    chunks = len(chat_server.calls)

    def reply(request):
        if request.number % 10 == 3:
            return chat_server.busy("0")
        return "Well, let me see." if request.number % 20 == 7 else said(request)

    chat_server.reply = reply
    other = arm.replace("enriched('small'", "enriched('other'")  # whose replies are not known yet
    assert call("chunk", manual, "--arm", other, "--output", faulty).code == 0
    asked = chat_server.calls[chunks:]
    assert len(asked) > chunks * 1.1
    assert {request.seed for request in asked} >= {0, 1}
    assert faulty.read_bytes() == plain.read_bytes()


def test_a_model_that_talks_nonsense_only_does_not_go_unnoticed(call, manual, arm, chat_server, tmp_path):
    chat_server.reply = "I would rather not."
    done = call("chunk", manual, "--arm", arm, "--output", tmp_path / "chunks.jsonl")
    assert done.code == 0
    assert done.err == (
        "12 chunks from 4 documents.\n"
        "Doubt: enriched: 12 of 12 chunks have no generated fields, since no reply about them could be read.\n"
    )


def test_if_all_documents_fail_the_output_stays_as_it_was(call, manual, arm, chat_server, tmp_path):
    output = tmp_path / "chunks.jsonl"
    output.write_text("before\n")
    chat_server.reply = chat_server.status(400, "no")
    done = call("chunk", manual, "--arm", arm, "--output", output)
    assert done.code == 1
    assert "4 documents could not be asked about" in done.err
    assert output.read_text() == "before\n"


def test_the_cap_ends_it_and_a_higher_one_goes_on(call, manual, arm, chat_server, tmp_path, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CAP", "")  # so that the option's value goes with this test
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."small"]\ninput = 1.0\noutput = 1.0\n')
    monkeypatch.setenv("RAGTRIAL_PRICES", str(prices))
    output = tmp_path / "chunks.jsonl"
    done = call("chunk", manual, "--arm", arm, "--output", output, "--cap", "0.004")
    assert done.code == 4
    assert "RAGTRIAL_CAP" in done.err or "cap" in done.err
    assert not output.exists()
    asked = len(chat_server.calls)
    assert 0 < asked < 12
    assert call("chunk", manual, "--arm", arm, "--output", output, "--cap", "5").code == 0
    assert len(chat_server.calls) == 12
    assert len(rows_of(output)) == 8


def test_a_process_that_is_killed_pays_nothing_twice(command, shell, manual, arm, chat_server, tmp_path):
    output = tmp_path / "chunks.jsonl"
    words = command("chunk", manual, "--arm", arm, "--output", output)
    chat_server.reply = lambda call: chat_server.slow(0.15, said(call))(call)
    process = subprocess.Popen(words, env=os.environ | chat_server.environment, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(chat_server.calls) < 6 and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not output.exists()
    answered = len(chat_server.calls)
    assert 6 <= answered < 12
    chat_server.reply = said
    done = shell("chunk", manual, "--arm", arm, "--output", output, env=chat_server.environment)
    assert done.code == 0, done.err
    # What was in flight when the process died may be asked again, nothing else.
    assert len(chat_server.calls) <= 12 + 4
    whole = tmp_path / "whole.jsonl"
    fresh = chat_server.environment | {"RAGTRIAL_CACHE": str(tmp_path / "fresh")}
    assert shell("chunk", manual, "--arm", arm, "--output", whole, env=fresh).code == 0
    assert output.read_bytes() == whole.read_bytes()


def test_free_fields_need_no_server(call, manual):
    pytest.importorskip("rapid_textrank", reason="needs the extra keywords")
    done = call("chunk", manual, "--arm", "headers(min=0) + enriched('extractive', fields=['summary'])")
    assert done.code == 0
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert rows[0]["prefix"] == "About the lamp.\n\n"
    assert rows[0]["fields"]["summary"] == "About the lamp."
