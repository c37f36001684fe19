"""Records on disk: what is damaged is refused with a sentence, and what is written is written whole."""

import errno
import json
import os
from pathlib import Path

import polars as pl
import pytest

from ragtrial.errors import DataError, RagtrialError, RecordError
from ragtrial.report.markdown import write_markdown
from ragtrial.trial.exploratory.write import FILES
from ragtrial.trial.record import RECORD_VERSION, Record, write_json, write_parquet
from ragtrial.trial.run import run


@pytest.fixture
def folder(trial_of, tmp_path):
    run(trial_of(), tmp_path / "record")
    return tmp_path / "record"


def test_a_record_is_opened_without_its_tables(folder):
    (folder / "scores.parquet").unlink()
    (folder / "rankings.parquet").unlink()
    record = Record.open(folder)
    assert record.header["title"] == "Handbook"
    assert record.contrasts[0]["name"] == "sections or crumbs"


def test_a_record_is_plain_json_that_people_can_read(trial_of, tmp_path):
    record = run(trial_of(title="Справочник"), tmp_path / "plain")
    text = (tmp_path / "plain" / "record.json").read_text(encoding="utf-8")
    assert "Справочник" in text
    assert json.loads(text) == record.header
    assert json.loads((tmp_path / "plain" / "contrasts.json").read_text(encoding="utf-8")) == record.contrasts


def test_an_older_version_is_read_and_a_newer_one_refused(folder):
    path = folder / "record.json"
    header = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(header | {"version": RECORD_VERSION + 1}), encoding="utf-8")
    with pytest.raises(RecordError, match=f"version {RECORD_VERSION + 1}") as caught:
        Record.open(folder)
    assert str(path) in caught.value.message
    assert "Upgrade" in caught.value.hint
    path.write_text(json.dumps(header | {"version": RECORD_VERSION - 1}), encoding="utf-8")
    assert Record.open(folder).header["title"] == "Handbook"


def edited(**keys):
    return lambda text: json.dumps(json.loads(text) | keys)


def without(key):
    return lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != key})


HEADERS = {
    "truncated": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "a list": lambda text: "[]",
    "a number": lambda text: "1",
    "no version": without("version"),
    "version in words": edited(version="one"),
    "version true": edited(version=True),
    "version null": edited(version=None),
    "no arms": without("arms"),
    "no conditions": without("conditions"),
    "no corpus": without("corpus"),
    "arms are a number": edited(arms=3),
    "conditions are a text": edited(conditions="none"),
    "effective is a list": edited(effective=[]),
    "corpus is null": edited(corpus=None),
    "deep": lambda text: "[" * 100_000,
    "a long number": lambda text: '{"version": ' + "9" * 5000 + "}",
    "a git conflict": lambda text: "<<<<<<< HEAD\n" + text,
}


@pytest.mark.parametrize("change", HEADERS.values(), ids=HEADERS)
def test_a_damaged_header_is_refused_with_its_path(change, folder):
    path = folder / "record.json"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        Record.open(folder)
    assert str(path) in caught.value.message
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("data", [b"\xff\xfe{", b"\x00" * 64])
def test_a_header_that_is_no_text(data, folder):
    (folder / "record.json").write_bytes(data)
    with pytest.raises(RecordError, match=r"record\.json is damaged"):
        Record.open(folder)


def test_a_folder_that_is_no_record(tmp_path):
    with pytest.raises(RecordError, match=r"record\.json") as caught:
        Record.open(tmp_path)
    assert caught.value.hint
    with pytest.raises(RecordError):
        Record.open(tmp_path / "missing")
    (tmp_path / "file").write_text("x")
    with pytest.raises(RecordError):
        Record.open(tmp_path / "file")


@pytest.mark.parametrize("content", ["", "[", "{}", "null", "[1]", '["a"]', '[{"name": "x"}]'])
def test_damaged_contrasts_are_refused(content, folder):
    (folder / "contrasts.json").write_text(content)
    with pytest.raises(RecordError, match=r"contrasts\.json"):
        _ = Record.open(folder).contrasts


@pytest.mark.parametrize("name", ["scores", "rankings", "documents", "questions", "chunks", "found", "features"])
@pytest.mark.parametrize("content", [None, b"", b"PAR1", b"no table"])
def test_a_damaged_table_is_refused(name, content, folder):
    path = folder / f"{name}.parquet"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(RecordError, match=rf"{name}\.parquet"):
        getattr(Record.open(folder), name)


@pytest.mark.parametrize("name", ["scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", *FILES])
@pytest.mark.parametrize("how", ["gone", "damaged"])
def test_a_run_never_returns_a_damaged_record_as_finished(name, how, folder, trial_of, tables):
    """Either the files are made again, or the damage is told."""
    whole = tables(folder)
    (folder / name).unlink() if how == "gone" else (folder / name).write_bytes(b"[")
    told = ""
    try:
        run(trial_of(), folder)
    except RecordError as error:
        told = error.message
    assert name in told or tables(folder) == whole


def test_the_way_out_of_a_damaged_record_is_told(folder, trial_of):
    """Running the same command again finds the same damage: the hint must say more than that."""
    (folder / "record.json").write_text("{")
    with pytest.raises(RecordError) as caught:
        run(trial_of(), folder)
    assert any(word in caught.value.hint.lower() for word in ("remove", "delete", "another --output"))


TABLE = pl.DataFrame({"a": list(range(1000))})

WRITERS = {
    "json": lambda path: write_json(path, {"a": list(range(1000))}),
    "parquet": lambda path: write_parquet(path, TABLE),
}


@pytest.fixture
def full():
    """Return a device on which every write fails because it is full."""
    path = Path("/dev/full")
    if not path.is_char_device():
        pytest.skip("needs the device /dev/full")
    return path


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_file_is_written_whole_or_not_at_all(write, tmp_path, full):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    (tmp_path / "file.part").symlink_to(full)
    with pytest.raises(DataError, match=r"Cannot write .*file: .*[Nn]o space left") as caught:
        write(path)
    assert "space" in caught.value.hint
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_folder_that_is_gone_is_a_sentence(write, tmp_path):
    with pytest.raises(DataError, match="Cannot write"):
        write(tmp_path / "gone" / "file")


def test_a_disk_that_fills_up_at_any_write_is_told_and_nothing_is_lost(trial_of, tables, folder, tmp_path, monkeypatch):
    """Every fsync in turn fails as on a full disk; with space again the same call ends with the same bytes."""
    whole = tables(folder)
    synced = os.fsync

    def fails_at(number):
        counter = iter(range(10**6))

        def fsync(descriptor):
            if next(counter) == number:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            synced(descriptor)

        return fsync

    other = tmp_path / "filling"
    for number in range(40):
        monkeypatch.setattr(os, "fsync", fails_at(number))
        try:
            run(trial_of(), other)
        except RagtrialError as error:
            told = error.message
        else:
            break
        assert "No space left on device" in told
        assert str(other) in told
        assert not (other / "record.json").exists()
        assert not list(other.rglob("*.part"))
    assert number >= 3
    assert tables(other) == whole


def test_a_report_is_written_whole_or_not_at_all(folder, monkeypatch):
    record = Record.open(folder)
    write_markdown(record)
    old = (folder / "report.md").read_bytes()
    assert old.startswith(b"# Handbook\n")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match=r"Cannot write .*report\.md: No space left"):
        write_markdown(record)
    assert (folder / "report.md").read_bytes() == old
    assert not list(folder.glob("*.part"))


@pytest.mark.parametrize("kind", ["file", "file in the way"])
def test_an_output_that_cannot_be_a_folder(kind, trial_of, tmp_path):
    (tmp_path / "taken").write_text("mine")
    output = tmp_path / "taken" if kind == "file" else tmp_path / "taken" / "record"
    with pytest.raises(DataError, match="Cannot make the folder"):
        run(trial_of(), output)
    assert (tmp_path / "taken").read_text() == "mine"


def test_the_same_rows_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        write_parquet(tmp_path / name, TABLE)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": -float("inf")}])
def test_numbers_that_json_does_not_know_are_never_written(value, tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "file.json", value)
    assert not list(tmp_path.iterdir())
