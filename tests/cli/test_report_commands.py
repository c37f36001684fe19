"""`ragtrial report`, `export`, `compare` and `explain`: paths on standard output, and every mistake a sentence."""

import json
import re
from html import unescape

import pytest


@pytest.fixture
def record(call, pump):
    assert call("run", pump / "trial.toml", "--output", pump / "record").code == 0
    return pump / "record"


def test_a_report_is_one_path(record, call):
    done = call("report", record)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{record / 'report.html'}\n"
    assert (record / "report" / "questions.html").exists()
    assert call("verify", record).code == 0


def test_a_report_elsewhere_and_alone(record, call, tmp_path):
    done = call("report", record, "--output", tmp_path / "out", "--answer-only", "--price", "0.02")
    assert done.out == f"{tmp_path / 'out' / 'report.html'}\n"
    assert "at 0.02 dollars" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "report").exists()


def test_what_a_ledger_and_the_clock_say_stands_in_the_report(record, call, tmp_path):
    (tmp_path / "ledger.jsonl").write_text("", encoding="utf-8")
    assert call("report", record, "--answer-only", "--ledger", tmp_path / "ledger.jsonl").code == 0
    assert "what the ledger says" in (record / "report.html").read_text(encoding="utf-8")
    spread = {"median": 1.5, "p95": 2.5}
    machine = {"threads": 1, "system": "Linux", "processor": "x", "cores": 2, "python": "3.11"}
    row = {"arm": "fixed", "retriever": "bm25", "texts": 9, "sampled": None, "index_seconds": 0.1, "index_bytes": 1000}
    found = {"rows": [row | {"query_ms": spread, "search_ms": spread}], "machine": machine, "questions": 4, "depth": 10}
    (record / "latency.json").write_text(json.dumps(found), encoding="utf-8")
    assert call("report", record, "--answer-only").code == 0
    assert "What a query costs" in (record / "report.html").read_text(encoding="utf-8")


def test_without_the_libraries_the_command_that_installs_them_is_told(record, call, monkeypatch):
    import sys

    from ragtrial.report.pages import render

    render.environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    done = call("report", record)
    assert done.code == 1
    assert "pip install 'ragtrial[report]'" in done.err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = call("export", record, "--to", "svg")
    assert "pip install 'ragtrial[report]'" in done.err


def test_exports_are_paths(record, call, tmp_path):
    done = call("export", record, "--to", "csv", "--output", tmp_path / "csv")
    assert (done.code, done.err) == (0, "")
    assert f"{tmp_path / 'csv' / 'contrasts.csv'}\n" in done.out
    assert call("export", record, "--to", "markdown").out == f"{record / 'export' / 'markdown' / 'report.md'}\n"
    done = call("export", record, "--to", "word")
    assert (done.code, done.out) == (2, "")
    assert "no export 'word'" in done.err
    assert "parquet" in done.err


def test_records_are_compared(record, call):
    done = call("compare", record, record)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("No verdict moved.\n")
    assert call("compare", record).code == 2


def test_a_question_is_explained(record, call):
    done = call("explain", record, "oil")
    assert (done.code, done.err) == (0, "")
    assert "Проверьте давление масла перед пуском насоса." in done.out
    assert "bm25" in done.out
    done = call("explain", record, "oill")
    assert done.code == 3
    assert "'oil'" in done.err


@pytest.mark.parametrize("words", [("report",), ("export", "--to", "csv"), ("explain", "q"), ("compare", "other")])
def test_a_folder_that_is_no_record_is_told(words, call, tmp_path):
    done = call(words[0], tmp_path, *words[1:])
    assert done.code == 3
    assert "record.json" in done.err


@pytest.mark.slow
def test_the_printed_commands_repeat_the_headline(shell, tmp_path):
    """What a fresh reader does with the report alone: save the trial file, run it, verify, compare."""
    assert shell("demo", "--quick", "--output", "record", cwd=tmp_path).code == 0
    assert shell("report", "record", cwd=tmp_path).code == 0
    page = (tmp_path / "record" / "report.html").read_text(encoding="utf-8")
    (trial,) = re.findall(r'<code id="trial">(.*?)</code>', page, flags=re.DOTALL)
    (tmp_path / "trial.toml").write_text(unescape(trial), encoding="utf-8")
    printed = [line for block in re.findall(r"<code>(.*?)</code>", page, flags=re.DOTALL) for line in block.split("\n")]
    commands = [line.split()[1:] for line in map(unescape, printed) if line.startswith("ragtrial ")]
    assert [words[0] for words in commands] == ["verify", "run", "compare"]
    done = [shell(*words, cwd=tmp_path) for words in commands]
    assert [result.code for result in done] == [0, 0, 0]
    assert done[-1].out.endswith("No verdict moved.\n")
    assert shell("report", "again", cwd=tmp_path).code == 0
    repeated = (tmp_path / "again" / "report.html").read_text(encoding="utf-8")
    headline = re.compile(r'<div class="answer">(.*?)</div>', re.DOTALL)
    assert headline.search(repeated)[1] == headline.search(page)[1]
