"""`ragtrial run`: a trial file to its record, and every mistake to its sentence."""

import json
import os
import re
import subprocess

import polars as pl
import pytest

from ragtrial.trial.exploratory.write import FILES


def test_a_run_prints_tables_and_writes_the_record(call, pump, tmp_path):
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert done.code == 0
    assert done.err == ""
    for words in ("Насос и 水泵", "fixed", "headers(min=0) + path", "structure", "recall@512t", "exploratory"):
        assert words in done.out
    assert f"Record: {tmp_path / 'record'}\n" in done.out
    assert {path.name for path in (tmp_path / "record").iterdir()} == {
        *("record.json", "scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", "report.md"),
        *FILES,
    }
    scores = pl.read_parquet(tmp_path / "record" / "scores.parquet")
    assert scores["question"].unique(maintain_order=True).to_list() == ["start", "oil", "filter", "shelf"]


def test_json_is_for_programs(call, pump, tmp_path):
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record", "--json")
    assert (done.code, done.err) == (0, "")
    rows = json.loads(done.out)
    assert rows == json.loads((tmp_path / "record" / "contrasts.json").read_text(encoding="utf-8"))
    assert rows[0]["name"] == "structure"


def test_the_record_is_named_after_the_trial_file(call, pump, tmp_path, monkeypatch):
    (pump / "trial.toml").rename(pump / "насос.toml")
    monkeypatch.chdir(tmp_path)
    done = call("run", "pump/насос.toml")
    assert done.code == 0
    assert "Record: ragtrial-runs/насос\n" in done.out
    assert (tmp_path / "ragtrial-runs" / "насос" / "record.json").exists()


def test_where_it_is_started_does_not_matter(shell, pump, tmp_path):
    one = shell("run", "trial.toml", "--output", tmp_path / "one", cwd=pump)
    two = shell("run", pump / "trial.toml", "--output", "two", cwd=tmp_path, env={"TERM": "xterm-256color"})
    assert (one.code, two.code) == (0, 0)
    assert "\x1b" not in two.out + two.err
    for name in (
        "record.json",
        "scores.parquet",
        "rankings.parquet",
        "contrasts.json",
        "grid.json",
        "report.md",
        *FILES,
    ):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("encoding", ["ascii", "cp1251"])
def test_a_terminal_without_the_letters_does_not_end_a_run(encoding, command, pump, tmp_path):
    done = subprocess.run(
        command("run", pump / "trial.toml", "--output", tmp_path / "record"),
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0
    out = done.stdout.decode(encoding)
    assert "structure" in out
    assert f"Record: {tmp_path / 'record'}" in out
    assert ("Насос" in out) == (encoding == "cp1251")


def on_a_terminal(words, env):
    """Run a command on a terminal of its own and return all that it shows."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | env)
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return shown.decode()


def test_a_terminal_sees_progress_and_no_color_if_it_wants_none(command, pump, tmp_path):
    words = command("run", pump / "trial.toml", "--output", tmp_path / "record")
    shown = on_a_terminal(words, {"TERM": "xterm-256color", "NO_COLOR": "1"})
    assert "Scoring" in shown
    styles = {int(code) for codes in re.findall(r"\x1b\[([\d;]*)m", shown) for code in codes.split(";") if code}
    assert not styles & {*range(30, 50), *range(90, 108)}


def test_what_was_left_out_is_printed(call, pump, tmp_path):
    with (pump / "questions.jsonl").open("a") as file:
        file.write('{"id": "lost", "question": "?", "evidence": ["this stands nowhere"]}\n')
    (pump / "docs" / "broken.md").write_bytes(b"\x00")
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert done.code == 0
    flat = " ".join(done.out.split())
    assert "1 question was not asked" in flat
    assert "lost (" in flat
    assert "1 file was not read" in flat
    assert "broken.md" in flat


def test_another_trial_in_the_folder_is_refused(call, pump, tmp_path):
    assert call("run", pump / "trial.toml", "--output", tmp_path / "record").code == 0
    before = {path: path.read_bytes() for path in (tmp_path / "record").iterdir()}
    (pump / "trial.toml").write_text((pump / "trial.toml").read_text(encoding="utf-8").replace("(20)", "(21)"))
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"Error: {tmp_path / 'record'} holds the record of another trial")
    assert {path: path.read_bytes() for path in (tmp_path / "record").iterdir()} == before


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 99}', ""])
def test_a_record_that_cannot_be_read_exits_with_3(content, call, pump, tmp_path):
    assert call("run", pump / "trial.toml", "--output", tmp_path / "record").code == 0
    (tmp_path / "record" / "record.json").write_text(content)
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("Error: ")
    assert str(tmp_path / "record" / "record.json") in done.err


# What is written into the folder before the run, the exit code, and words on standard error.
MISTAKES = {
    "no such file": ({"trial.toml": None}, 2, "There is no trial file"),
    "no TOML": ({"trial.toml": "arms = \n"}, 2, "trial.toml:1: "),
    "a misspelt key": (
        ("documents =", "documets ="),
        2,
        "trial.toml:2: unknown key 'documets'. Did you mean 'documents'",
    ),
    "an unknown chunker": (
        ("chars(20)", "charz(20)"),
        2,
        "trial.toml:7: arms.fixed: There is no chunker called 'charz'",
    ),
    "a wrong parameter": (("chars(20)", "chars(twenty=20)"), 2, "trial.toml:7: "),
    "an unknown arm": (
        ("path - fixed", "path - fixd"),
        2,
        "trial.toml:15: there is no arm called 'fixd'. Did you mean",
    ),
    "no such documents": (('"docs"', '"dox"'), 1, "dox"),
    "no such questions": (('"questions.jsonl"', '"q.jsonl"'), 1, "q.jsonl"),
    "broken questions": ({"questions.jsonl": '{"question": "?", "evidence": []\n'}, 1, "questions.jsonl:1: "),
    "no questions": ({"questions.jsonl": "\n"}, 1, "There is no question in"),
    "nothing to ask": (
        {"questions.jsonl": '{"question": "?", "evidence": ["nowhere at all"]}\n'},
        1,
        "No question is left to ask",
    ),
    "two documents with one id": (('"docs"', '["docs/guide", "docs/guide/start.md"]'), 1, "two documents with one id"),
}


@pytest.mark.parametrize(("change", "code", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_a_sentence_and_leaves_nothing(change, code, words, call, pump, tmp_path):
    if isinstance(change, tuple):
        old, new = change
        text = (pump / "trial.toml").read_text(encoding="utf-8")
        assert text.count(old) == 1
        change = {"trial.toml": text.replace(old, new)}
    for name, content in change.items():
        if content is None:
            (pump / name).unlink()
        else:
            (pump / name).write_text(content, encoding="utf-8")
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("Error: ")
    assert words in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "record").exists()


def test_an_empty_folder_of_documents(call, pump, tmp_path):
    (pump / "empty").mkdir()
    text = (pump / "trial.toml").read_text(encoding="utf-8")
    (pump / "trial.toml").write_text(text.replace('"docs"', '"empty"'), encoding="utf-8")
    done = call("run", pump / "trial.toml", "--output", tmp_path / "record")
    assert (done.code, done.out) == (1, "")
    assert f"There is no document in {pump / 'empty'}." in done.err


def test_an_output_that_is_a_file(call, pump, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert call("run", pump / "trial.toml", "--output", tmp_path / "file").code == 2
    done = call("run", pump / "trial.toml", "--output", tmp_path / "file" / "record")
    assert done.code == 1
    assert done.err.startswith("Error: Cannot make the folder ")
    assert (tmp_path / "file").read_text() == "mine"
