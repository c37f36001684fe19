"""`ragtrial chunk`: chunks as JSON lines on standard output, talk on standard error."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ragtrial.documents.folder import read_folder
from ragtrial.trial.arms import Arm

KEYS = ["document", "index", "text", "path", "spans", "tokens"]


def rows_of(text):
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_every_line_is_a_chunk_of_its_document(call, pump):
    done = call("chunk", pump / "docs", "--arm", "headers(min=0)")
    assert done.code == 0
    rows = rows_of(done.out)
    assert all(list(row) == KEYS for row in rows)
    texts = {document.id: document.text for document in read_folder(pump / "docs")}
    for row in rows:
        [[start, end]] = row["spans"]
        assert row["text"] == texts[row["document"]][start:end]
        assert row["tokens"] > 0
    assert list(dict.fromkeys(row["document"] for row in rows)) == list(texts)
    for name, text in texts.items():
        own = [row for row in rows if row["document"] == name]
        assert [row["index"] for row in own] == list(range(len(own)))
        assert "".join(row["text"] for row in own) == text
    assert [row["path"] for row in rows if row["document"] == "guide/start.md"] == [["Start"], ["Start", "Stop"]]


def test_the_lines_are_what_python_gives(call, pump):
    arm = Arm.of("headers(min=0) + path")
    chunks = arm.build(list(read_folder(pump / "docs")))
    done = call("chunk", pump / "docs", "--arm", "headers(min=0) + path")
    assert rows_of(done.out) == [chunk.to_dict() for chunk in chunks]


def test_a_prefix_is_there_only_where_the_arm_puts_one(call, pump):
    rows = rows_of(call("chunk", pump / "docs", "--arm", "headers(min=0) + path").out)
    assert all(list(row) == [*KEYS, "prefix"] for row in rows)
    prefixes = {(row["document"], row["index"]): row["prefix"] for row in rows}
    assert prefixes["guide/start.md", 1] == "Start > Stop\n\n"
    assert prefixes["notes/plain.txt", 0] == "\n\n"  # no heading: the blank line stays
    plain = rows_of(call("chunk", pump / "docs", "--arm", "headers(min=0)").out)
    assert [{k: v for k, v in row.items() if k != "prefix"} for row in rows] == plain


def test_data_and_talk_are_apart(call, pump):
    done = call("chunk", pump / "docs", "--arm", "headers(min=0)")
    assert len(rows_of(done.out)) == 5
    assert done.err == "5 chunks from 4 documents.\n"


def test_letters_of_every_script_are_written_as_they_are(call, pump):
    out = call("chunk", pump / "docs").out
    assert "давление" in out
    assert "滤芯" in out


@pytest.mark.parametrize(("folder", "count"), [("laravel-docs", 3860), ("angular-docs", 2310)])
def test_the_study_s_chunks_of_two_manuals(folder, count, shared, call):
    done = call("chunk", shared(f"data/{folder}"), "--arm", "headers(dialect='study')")
    assert done.code == 0
    assert done.out.count("\n") == count
    assert done.err.startswith(f"{count:,} chunks from ")


@pytest.mark.slow
def test_the_study_s_chunks_of_its_papers(shared, call):
    selection = shared("data/selections/qasper-300.txt")
    done = call(
        *("chunk", shared("data/qasper"), "--reader", "qasper", "--protocol", "mdk", "--select", selection),
        *("--arm", "headers(dialect='study')"),
    )
    assert done.code == 0
    assert len(rows_of(done.out)) == 7222


def test_a_file_for_output(call, pump, tmp_path):
    expected = call("chunk", pump / "docs").out
    done = call("chunk", pump / "docs", "--output", tmp_path / "chunks.jsonl")
    assert done.out == ""
    assert (tmp_path / "chunks.jsonl").read_text(encoding="utf-8") == expected
    assert "chunks from 4 documents" in done.err


@pytest.fixture
def failing(pump, monkeypatch):
    """Let the third document of the folder fail in the middle of a run."""
    from ragtrial.documents import folder

    def read(path, **options):
        if options["id"] == "notes/plain.txt":
            raise MemoryError
        return read_file(path, **options)

    read_file = folder.read_file
    monkeypatch.setattr(folder, "read_file", read)
    return pump / "docs"


@pytest.mark.parametrize("before", [None, "what was there\n"])
def test_output_appears_whole_or_not_at_all(before, failing, tmp_path):
    from ragtrial.cli import main

    out = tmp_path / "out"
    out.mkdir()
    if before:
        (out / "chunks.jsonl").write_text(before)
    with pytest.raises(MemoryError):
        main(["chunk", str(failing), "--output", str(out / "chunks.jsonl")])
    assert [(path.name, path.read_text()) for path in out.iterdir()] == ([("chunks.jsonl", before)] if before else [])


def test_a_pipe_for_output_is_written_to_and_not_replaced(call, pump, tmp_path):
    expected = call("chunk", pump / "docs").out
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A reader that gives up instead of waiting for ever if nobody writes.
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = call("chunk", pump / "docs", "--output", pipe)
    got = os.read(descriptor, 1 << 16) if pipe.is_fifo() else b""
    os.close(descriptor)
    assert done.code == 0
    assert pipe.is_fifo()
    assert got.decode() == expected


@pytest.mark.parametrize("target", ["missing/chunks.jsonl", "file/chunks.jsonl"])
def test_an_output_that_cannot_be_written_is_a_sentence(target, call, pump, tmp_path):
    (tmp_path / "file").write_text("x")
    done = call("chunk", pump / "docs", "--output", tmp_path / target)
    assert done.code == 1
    assert done.err.startswith(f"Error: Cannot write {tmp_path / target}: ")
    assert done.out == ""


def test_a_full_disk_behind_standard_output_is_a_sentence(command, pump):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command("chunk", pump / "docs"), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert "chunks from" not in done.stderr.decode()


def test_a_reader_that_leaves_early_is_no_error(command, shared):
    """`ragtrial chunk ... | head -1`: the rest is not wanted, and nobody complains."""
    process = subprocess.Popen(
        command("chunk", shared("data/laravel-docs")), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    first = process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert json.loads(first)["document"] == "artisan.md"
    assert err == b""


def test_patterns_choose_the_files(call, pump):
    def names(*options):
        return list(dict.fromkeys(row["document"] for row in rows_of(call("chunk", pump / "docs", *options).out)))

    assert names("--include", "guide/**") == ["guide/start.md", "guide/наладка.md"]
    assert names("--include", "**/*.txt", "--include", "guide/*") == [
        "guide/start.md",
        "guide/наладка.md",
        "notes/plain.txt",
    ]
    assert names("--exclude", "guide/**", "--exclude", "*/*.txt") == ["notes/保养.md"]
    assert names("--include", "guide/**", "--exclude", "**/start.md") == ["guide/наладка.md"]


def test_several_paths_are_read_in_their_order(call, pump):
    out = call("chunk", pump / "docs" / "notes", pump / "docs" / "guide" / "start.md").out
    assert list(dict.fromkeys(row["document"] for row in rows_of(out))) == ["plain.txt", "保养.md", "start.md"]


def test_an_undecodable_file_is_named_and_counted_and_the_rest_is_cut(call, pump):
    expected = call("chunk", pump / "docs").out
    (pump / "docs" / "guide" / "aaa.md").write_bytes(b"\x00\x01")
    (pump / "docs" / "zzz.md").write_bytes(b"\x00")
    done = call("chunk", pump / "docs")
    assert done.code == 0
    assert done.out == expected
    assert [line for line in done.err.split("\n") if line.startswith("Skipped ")]
    for name in ("guide/aaa.md", "zzz.md"):
        assert f"Skipped {pump / 'docs' / name}: " in done.err
    assert "2 skipped files" in done.err
    assert "binary" in done.err


def test_an_encoding_can_be_given(call, tmp_path):
    (tmp_path / "old.txt").write_bytes("Über die Öfen".encode("cp437"))
    out = call("chunk", tmp_path, "--encoding", "cp437").out
    assert rows_of(out)[0]["text"] == "Über die Öfen"


def test_line_ends_and_marks_stay_in_the_text(call, tmp_path):
    (tmp_path / "a.md").write_bytes("\ufeff# One\r\n\r\nWords.\rMore.\u2028End".encode())
    [row] = rows_of(call("chunk", tmp_path).out)
    assert row["text"] == "\ufeff# One\r\n\r\nWords.\rMore.\u2028End"
    assert row["spans"] == [[0, len(row["text"])]]
    assert row["path"] == ["One"]


@pytest.fixture
def papers(tmp_path):
    """Return a folder with a file in the format of QASPER; halves of surrogate pairs stand in its one paper."""
    paper = {
        "title": "Half \ud83d of it",
        "abstract": "An abstract.",
        "full_text": [{"section_name": "Intro", "paragraphs": ["Before \udc00 after, and more words."]}],
        "qas": [],
    }
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "qasper-dev-v0.3.json").write_text(json.dumps({"1": paper}))
    (tmp_path / "papers" / "select.txt").write_text("1\n")
    return tmp_path / "papers"


def test_half_a_surrogate_pair_does_not_end_the_run(call, shell, papers, tmp_path):
    words = ("chunk", papers, "--reader", "qasper", "--select", papers / "select.txt")
    done = shell(*words)
    assert done.code == 0
    rows = rows_of(done.out)
    assert "Half \ud83d of it" in rows[0]["text"]
    assert "Before \udc00 after" in "".join(row["text"] for row in rows)
    assert call(*words, "--output", tmp_path / "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == done.out


def test_the_encoding_of_the_terminal_does_not_matter(shell, call, pump):
    expected = call("chunk", pump / "docs").out
    done = shell("chunk", pump / "docs", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.code == 0
    assert done.out == expected


@pytest.mark.parametrize("spec", ["length_matched", "length_matched(of=headers(min=0)) + path"])
def test_a_length_that_the_corpus_settles(spec, call, pump):
    expected = Arm.of(spec).build(list(read_folder(pump / "docs")))
    assert rows_of(call("chunk", pump / "docs", "--arm", spec).out) == [chunk.to_dict() for chunk in expected]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["chunk", "{docs}/missing"], 1, "missing"),
        (["chunk", "{docs}", "--arm", "headrs"], 2, "There is no chunker called 'headrs'.\nDid you mean 'headers'?"),
        (["chunk", "{docs}", "--arm", "headers + pth"], 2, "Did you mean 'path'?"),
        (["chunk", "{docs}", "--arm", "chars(0)"], 2, "greater than or equal to 1"),
        (["chunk", "{docs}", "--arm", "headers(dialect='old')"], 2, "'commonmark' or 'study'"),
        (["chunk", "{docs}", "--arm", "headers("], 2, "Cannot read the expression 'headers('"),
        (["chunk", "{docs}", "--arm", ""], 2, "Cannot read the expression ''"),
        (["chunk", "{docs}", "--arm", "bm25"], 2, "There is no chunker called 'bm25'"),
        (["chunk", "{docs}", "--encoding", "utf-99"], 2, "There is no text encoding called 'utf-99'"),
        (["chunk", "{docs}", "--reader", "qaspr"], 2, "Did you mean 'qasper'?"),
        (["chunk", "{docs}", "--reader", "qasper"], 1, "no QASPER file"),
        (["chunk", "{docs}", "{docs}", "--reader", "qasper"], 2, "takes one PATH"),
        (["chunk", "{docs}", "--include", "*.rst"], 1, "There is no document in"),
        (["chunk", "{docs}", "{docs}"], 1, "There are two documents with one id, 'guide/start.md'"),
        (["chunk", "{docs}", "--output", "{docs}"], 2, "is a directory"),
        (["chunk"], 2, "Missing argument"),
        (["chunk", "{docs}", "--arms", "headers"], 2, "--arms"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_bad_input_is_a_sentence(arguments, code, words, call, pump):
    done = call(*(word.replace("{docs}", str(pump / "docs")) for word in arguments))
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


@pytest.mark.parametrize("option", [["--protocol", "mdk"], ["--select", "ids.txt"]])
def test_options_of_a_reader_without_the_reader_are_refused(option, call, pump):
    """They would otherwise be passed over in silence."""
    done = call("chunk", pump / "docs", *option)
    assert done.code == 2
    assert "--reader" in done.err


@pytest.mark.parametrize("option", [["--include", "*.md"], ["--exclude", "*.md"], ["--encoding", "cp437"]])
def test_options_of_a_folder_are_refused_for_a_reader(option, call, papers):
    done = call("chunk", papers, "--reader", "qasper", "--select", papers / "select.txt", *option)
    assert done.code == 2
    assert option[0] in done.err


def test_an_empty_folder_says_what_was_looked_for(call, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xls").write_bytes(b"%XLS")
    done = call("chunk", tmp_path / "docs")
    assert done.code == 1
    assert f"There is no document in {tmp_path / 'docs'}." in done.err
    assert ".md" in done.err
    assert "1 of .xls" in done.err


def test_a_folder_without_any_text(call, tmp_path):
    (tmp_path / "blank.md").write_text("\n \n")
    done = call("chunk", tmp_path)
    assert (done.code, done.out) == (0, "")
    assert "0 chunks" in done.err
    matched = call("chunk", tmp_path, "--arm", "length_matched")
    assert matched.code == 1
    assert matched.err.startswith("Error: ")


def test_what_a_foreign_chunker_cannot_cut_is_named_and_the_rest_is_written(call, tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\nquiet\n", encoding="utf-8")
    (tmp_path / "docs/b.md").write_text("# B\n\nLOUD\n", encoding="utf-8")
    (tmp_path / "shouting_chunker.py").write_text(
        "def split(text):\n    if 'quiet' in text:\n        raise ValueError('too quiet')\n    return [text]\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    done = call("chunk", tmp_path / "docs", "--arm", "external('shouting_chunker:split')")
    assert done.code == 1
    assert [row["document"] for row in rows_of(done.out)] == ["b.md"]
    assert "Failed a.md: shouting_chunker:split raised ValueError: too quiet" in done.err
    assert "Error: 1 document could not be cut and is not in the output; the first: a.md." in done.err
    assert "asks" not in done.err
