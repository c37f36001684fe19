"""A trial with arms that ask a model: checked for nothing, run, and its record."""

import json

import pytest

TRIAL = """\
documents = "docs/"
questions = "questions.jsonl"

[arms]
plain = "headers(min=0)"
paid = "headers(min=0) + enriched('small', url='URL')"
merged = "headers(min=0) + enriched('small', url='URL') + merge('key')"
control = "headers(min=0) + enriched('small', url='URL') + merge('random')"

[retrievers]
bm25 = "bm25"
linked = "expand(bm25, 'related')"
near = "expand(bm25, 'adjacent')"

[only]
linked = ["paid", "merged", "control"]
near = ["paid", "merged", "control"]

[[contrasts]]
name = "enrichment"
of = "paid - plain"
retriever = "bm25"
"""

SAID = json.dumps({"title": "<b>T</b>", "summary": "S.", "keywords": [], "questions": [], "key": "same"})


@pytest.fixture
def trial(pump, monkeypatch, chat_server):
    chat_server.reply = SAID
    monkeypatch.chdir(pump)
    path = pump / "asking.toml"
    path.write_text(TRIAL.replace("URL", chat_server.url))
    return path


def test_check_asks_nothing(trial, call, chat_server):
    done = call("check", trial)
    assert done.code == 0, done.err
    assert chat_server.calls == []
    assert "  arm plain: 5 chunks (headers(min=0" in done.out
    assert "No model was asked" in done.out


def test_the_record_says_what_steps_counted(trial, call, chat_server, pump):
    done = call("run", trial, "--output", "record")
    assert done.code == 0, done.err
    assert len(chat_server.calls) == 5
    header = json.loads((pump / "record" / "record.json").read_text())
    rows = {row["arm"]: row for row in header["arms"]}
    assert rows["plain"]["reports"] == []
    assert rows["paid"]["reports"][0]["keyed"] == 5
    assert [report["step"] for report in rows["merged"]["reports"]] == ["enriched", "merge"]
    assert rows["merged"]["chunks"] == rows["control"]["chunks"] == 4
    given = header["effective"]["arms"]["paid"]["steps"][0]
    assert (given["language_model"]["model"], given["prompt"]["version"]) == ("small", 1)


def test_expansion_under_arms_without_keys_is_refused_before_anything_is_paid(trial, call, chat_server):
    trial.write_text(trial.read_text().replace('near = ["paid", "merged", "control"]\n', ""))
    done = call("run", trial, "--output", "record")
    assert done.code == 2
    assert "retrievers.near: expand follows generated keys, and plain have none." in done.err
    assert '[only] near = ["paid", "merged", "control"]' in done.err
    assert chat_server.calls == []
