"""``ragtrial estimate``: said to a person, and to a program; nothing is asked."""

import json

import pytest

TRIAL = """
documents = "docs"
questions = "questions.jsonl"
[arms]
plain = "headers"
E = "headers + enriched('gpt-4o-mini', url='{url}')"
CR = "headers + context('own-model', url='{url}')"
[retrievers]
bm25 = "bm25"
"""


@pytest.fixture
def trial(tmp_path, chat_server):
    (tmp_path / "docs").mkdir()
    for number in range(3):
        text = "\n".join(f"## Part {n}\n\nLamp {number}{n} hangs there.\n" for n in range(3 + number))
        (tmp_path / "docs" / f"d{number}.md").write_text(f"# D{number}\n\n{text}", encoding="utf-8")
    row = {"question": "Which lamp?", "evidence": "Lamp 11 hangs there."}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row), encoding="utf-8")
    path = tmp_path / "trial.toml"
    path.write_text(TRIAL.format(url=chat_server.url), encoding="utf-8")
    return path


@pytest.fixture
def elsewhere(trial, chat_server):
    """Return the trial with its models on another machine, since those on this one cost nothing."""
    text = trial.read_text(encoding="utf-8")
    trial.write_text(text.replace(chat_server.url, "http://gpu.lan:8000/v1"), encoding="utf-8")
    return trial


def test_tables_and_notes(call, elsewhere, chat_server, tmp_path):
    done = call("estimate", elsewhere, "--calls-per-minute", 60)
    assert done.code == 0, done.err
    assert "Calls" in done.out
    assert "Input by length of the document" in done.out
    assert "No price is known of own-model: write it into prices.toml." in done.out
    assert chat_server.calls == []
    assert not (tmp_path / "ledger.jsonl").exists()
    assert list(tmp_path.glob("ragtrial-runs/*")) == []


def test_json(call, elsewhere):
    found = json.loads(call("estimate", elsewhere, "--json").out)
    assert {row["step"] for row in found["calls"]} == {"enriched", "context"}
    assert found["dollars"] is None
    assert found["calls"][0]["dollars"] > 0


def test_a_cap_that_could_be_reached_is_said(call, elsewhere, monkeypatch):
    monkeypatch.setenv("RAGTRIAL_CAP", "0.01")
    assert "The cap of $0.01 could be reached" in call("estimate", elsewhere).out


def test_a_trial_that_costs_nothing(call, trial):
    lines = trial.read_text(encoding="utf-8").splitlines()
    trial.write_text("\n".join(line for line in lines if not line.startswith(("E =", "CR ="))), encoding="utf-8")
    assert "Nothing to pay for" in call("estimate", trial).out


@pytest.mark.parametrize("arguments", [("--calls-per-minute", 0), ("--texts-per-second", -1)])
def test_rates_are_above_zero(call, trial, arguments):
    assert call("estimate", trial, *arguments).code == 2


def test_check_asks_nobody(call, trial, chat_server):
    done = call("check", trial)
    assert done.code == 0, done.err
    assert "arm E: 3 chunks" in done.out
    assert "made-up replies" in done.out
    assert chat_server.calls == []
