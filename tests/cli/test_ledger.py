"""``ragtrial ledger``: what was paid, by arm, model, day and step."""

import json
from pathlib import Path

import pytest

ROWS = [
    {"time": "2026-01-31T23:59:59.999+00:00", "arm": "headers + enriched('m')", "step": "enriched", "model": "m",
     "server": "h:1", "input_tokens": 1000, "output_tokens": 50, "price": 0.1},
    {"time": "2026-02-01T00:00:00.000+00:00", "arm": "headers + enriched('m')", "step": "judge", "model": "m",
     "server": "h:1", "input_tokens": 2000, "output_tokens": 60, "price": 0.2},
    {"time": "2026-02-01T00:00:00.000+00:00", "arm": "контекст 水泵", "step": "context", "model": "n",
     "server": "h:2", "input_tokens": 3, "output_tokens": 4, "price": None},
]  # fmt: skip
UNCLEAR = {"time": "2026-02-01T00:00:01.000+00:00", "arm": "", "step": "s", "model": "m", "server": "h:1",
           "price": 0.5, "unclear": True}  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch) -> Path:
    path = tmp_path / "ledger.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [*ROWS, UNCLEAR]) + '{"torn', encoding="utf-8")
    monkeypatch.setenv("RAGTRIAL_LEDGER", str(path))
    return path


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("arm", ["", "headers + enriched('m')", "контекст 水泵"]),
        ("model", ["m (h:1)", "n (h:2)"]),
        ("day", ["2026-01-31", "2026-02-01"]),
        ("step", ["context", "enriched", "judge", "s"]),
    ],
)
def test_calls_are_added_up(ledger: Path, call, by: str, names: list[str]):
    found = json.loads(call("ledger", "--by", by, "--json").out)
    assert (found["ledger"], found["by"]) == (str(ledger), by)
    assert [group["name"] for group in found["groups"]] == names
    for key, total in {"calls": 3, "input_tokens": 3003, "output_tokens": 114, "unpriced": 1, "unclear": 1}.items():
        assert sum(group[key] for group in found["groups"]) == total
    assert round(sum(group["dollars"] for group in found["groups"]), 9) == 0.3
    assert sum(group["dollars_unclear"] for group in found["groups"]) == 0.5


def test_the_table_is_data_and_what_is_not_known_is_told(ledger: Path, call):
    done = call("ledger", ledger)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["arm", "calls", "tokens", "in", "tokens", "out", "dollars"]
    assert lines[-1].split() == ["all", "3", "3,003", "114", "0.300000"]
    assert "The price of 1 calls is not known" in done.err
    assert "1 more calls brought no answer and may have been paid: at most $0.500000" in done.err


def test_a_ledger_that_is_not_there_or_none_is_a_sentence(tmp_path: Path, call):
    done = call("ledger", tmp_path / "none.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "There is no ledger" in done.err
    (tmp_path / "bad.jsonl").write_text("x\n{}\n")
    done = call("ledger", tmp_path / "bad.jsonl")
    assert done.code == 3
    assert "bad.jsonl:1 is no row of a ledger" in done.err


def test_the_ledger_of_real_calls_is_read(chat_server, call, tmp_path, monkeypatch):
    from ragtrial.llm.base import Purpose, Request
    from ragtrial.llm.load import load
    from ragtrial.llm.options import ModelOptions
    from ragtrial.llm.spending import spending_for

    (tmp_path / "p.toml").write_text('[models."gpt-4o-mini"]\ninput = 0.15\noutput = 0.60\n')
    monkeypatch.setenv("RAGTRIAL_PRICES", str(tmp_path / "p.toml"))
    with spending_for("headers"):
        load(ModelOptions("gpt-4o-mini", url=chat_server.url)).ask(Request("", "a b", 9), Purpose("enriched"))
    (group,) = json.loads(call("ledger", "--json").out)["groups"]
    assert (group["name"], group["calls"], group["input_tokens"], group["output_tokens"]) == ("headers", 1, 2, 1)
    assert group["dollars"] == (2 * 0.15 + 0.60) / 1e6
