import gzip
import io
import json
import tarfile
import zipfile

import pytest

from ragtrial.documents import archive
from ragtrial.documents.folder import read_folder
from ragtrial.errors import DataError

FILES = {
    "guide/b.md": b"# B\n",
    "a.txt": b"A\n",
    ".hidden.md": b"# H\n",
    "x/.git/c.md": b"# C\n",
    "inner.zip": b"PK",
    "picture.png": b"x",
}


def zipped(path, files=FILES):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return path


def tarred(path, files=FILES):
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as packed:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    return path


def ids(reading):
    return [document.id for document in reading]


@pytest.mark.parametrize(
    ("make", "name"), [(zipped, "d.zip"), (tarred, "d.tar"), (tarred, "d.tar.gz"), (tarred, "d.TGZ")]
)
def test_a_given_archive_counts_as_a_folder(tmp_path, make, name):
    path = make(tmp_path / name)
    reading = read_folder(path)
    expected = ["a.txt", "guide/b.md"] if make is zipped else ["guide/b.md", "a.txt"]
    assert ids(reading) == expected
    assert ids(reading) == expected, "a reading can be repeated"
    assert dict(reading.other) == {".png": 1}
    assert ["archive in an archive" in skipped.reason for skipped in reading.skipped] == [True]
    assert ids(read_folder(path, include=["guide/**"])) == ["guide/b.md"]
    assert ids(read_folder(path, exclude=["guide"])) == ["a.txt"]
    document = next(iter(reading))
    assert document.locate(0) == f"{path}/{document.id}:1"
    assert list(tmp_path.iterdir()) == [path], "nothing is written"


def test_an_archive_in_a_folder_is_opened_if_a_pattern_names_it(tmp_path):
    zipped(tmp_path / "d.zip")
    (tmp_path / "z.md").write_text("Z", encoding="utf-8")
    reading = read_folder(tmp_path)
    assert ids(reading) == ["z.md"]
    assert dict(reading.other) == {".zip": 1}
    assert ids(read_folder(tmp_path, include=["*.zip", "z.md"])) == ["d.zip/a.txt", "d.zip/guide/b.md", "z.md"]


def test_names_that_lead_out_links_and_doubles_are_refused(tmp_path):
    with tarfile.open(tmp_path / "d.tar", "w") as packed:
        for name in ("../out.md", "/abs.md", "a.md", "a.md", "c:\\x.md"):
            packed.addfile(tarfile.TarInfo(name), io.BytesIO())
        link = tarfile.TarInfo("link.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    reading = read_folder(tmp_path / "d.tar")
    assert ids(reading) == ["a.md"]
    reasons = " ".join(skipped.reason for skipped in reading.skipped)
    assert reasons.count("leads out of the archive") == 3
    assert reasons.count("another member of this name") == 1
    assert reasons.count("a link or a device") == 1


def test_a_member_is_never_read_beyond_the_limit(tmp_path):
    files = {"big.md": b"x" * 5_000_000, "small.md": b"y"}
    for make, name in ((zipped, "d.zip"), (tarred, "d.tgz")):
        reading = read_folder(make(tmp_path / name, files), max_bytes=1000)
        assert ids(reading) == ["small.md"]
        assert "more than 1,000 bytes" in reading.skipped[0].reason


@pytest.mark.parametrize(
    ("limit", "message"), [("_MOST_MEMBERS", "more than 3 members"), ("_LARGEST", "to more than 3 bytes")]
)
@pytest.mark.parametrize(("make", "name"), [(zipped, "d.zip"), (tarred, "d.tgz")])
def test_bombs_are_refused(tmp_path, monkeypatch, limit, message, make, name):
    monkeypatch.setattr(archive, limit, 3)
    with pytest.raises(DataError) as caught:
        read_folder(make(tmp_path / name))
    assert message in caught.value.hint


@pytest.mark.parametrize("name", ["d.zip", "d.tar", "d.tgz"])
def test_a_damaged_archive_is_told(tmp_path, name):
    (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(DataError, match="no document in") as caught:
        read_folder(tmp_path / name)
    assert "no readable archive" in caught.value.hint


def test_an_archive_that_breaks_off_loses_only_the_rest(tmp_path):
    path = tarred(tmp_path / "d.tar", {f"{number}.md": b"x" * 2000 for number in range(5)})
    reading = read_folder(path)
    path.write_bytes(path.read_bytes()[:6000])
    assert 1 <= len(ids(reading)) < 5
    assert len(ids(reading)) + len(reading.skipped) == 5


def test_a_packed_file_is_read_as_what_it_holds(tmp_path):
    (tmp_path / "a.md.gz").write_bytes(gzip.compress(b"# A\n"))
    (tmp_path / "b.md.gz").write_bytes(b"damaged")
    (tmp_path / "c.md.gz").write_bytes(gzip.compress(b"x" * 1_000_000))
    reading = read_folder(tmp_path, max_bytes=10_000)
    assert [document.headings[0].title for document in reading] == ["A"]
    reasons = [skipped.reason for skipped in reading.skipped]
    assert "no readable gzip" in reasons[0]
    assert "unpacks to more than 10,000 bytes" in reasons[1]


def test_a_huge_file_is_skipped_unread(tmp_path):
    (tmp_path / "a.md").write_text("x" * 2000, encoding="utf-8")
    (tmp_path / "b.md").write_text("y", encoding="utf-8")
    reading = read_folder(tmp_path, max_bytes=1000)
    assert ids(reading) == ["b.md"]
    assert "it has 2,000 bytes" in reading.skipped[0].reason


def test_json_lines_hold_many_documents(tmp_path):
    lines = [json.dumps({"id": name, "text": name}) for name in ("one", "two", "one")] + ["{", ""]
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    reading = read_folder(path)
    assert ids(reading) == ["one", "two"]
    assert [skipped.reason.partition(": ")[2][:12] for skipped in reading.skipped] == ["the id 'one'", "it is not JS"]
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(lines[0].encode()))
    assert ids(read_folder(tmp_path / "d.jsonl.gz")) == ["one"]


def test_json_lines_in_a_folder_are_read_if_a_pattern_names_them(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"id": "z.md", "text": "t"}', encoding="utf-8")
    (tmp_path / "z.md").write_text("Z", encoding="utf-8")
    assert ids(read_folder(tmp_path)) == ["z.md"]
    reading = read_folder(tmp_path, include=["*.jsonl", "*.md"])
    assert ids(reading) == ["z.md"], "the id is there twice"
    assert "was read before it" in reading.skipped[0].reason


def test_json_lines_that_are_not_text(tmp_path):
    (tmp_path / "d.jsonl").write_bytes(b'{"id": "a", "text": "x"}\n\xff\xfe\n')
    reading = read_folder(tmp_path / "d.jsonl")
    assert ids(reading) == ["a"]
    assert "d.jsonl:2: it is not valid UTF-8" in reading.skipped[0].reason


def test_a_kind_without_its_library_is_skipped_with_the_command(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    for name in ("a.html", "b.md", "c.htm"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    reading = read_folder(tmp_path)
    assert ids(reading) == ["b.md"]
    assert len(reading.skipped) == 2
    assert "pip install 'ragtrial[html]'" in reading.skipped[0].reason


def test_every_kind_is_read_from_one_folder(tmp_path, laws):
    files = {
        "a.html": "<h1>Привет</h1><p>x",
        "b.rst": "简介\n====\n\nx",
        "c.wiki": "== مقدمة ==\nx",
        "d.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": "# D"}]}),
        "e.md": "# E",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    documents = list(read_folder(tmp_path))
    assert [document.headings[0].title for document in documents] == ["Привет", "简介", "مقدمة", "D", "E"]
    for document in documents:
        laws.check(document)
        assert document.meta["encoding"] == "utf-8"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ('<meta charset="windows-1251"><p>Привет'.encode("cp1251"), "windows-1251"),
        ('<meta charset="windows-1251"><p>Привет'.encode(), "utf-8"),
        ('<meta http-equiv=x content="text/html; charset=shift_jis"><p>日本'.encode("shift_jis"), "shift_jis"),
        ("<p>Привет".encode("utf-16"), "utf-16-le"),
    ],
)
def test_a_page_may_declare_its_encoding(tmp_path, data, encoding):
    (tmp_path / "a.html").write_bytes(data)
    (document,) = read_folder(tmp_path)
    assert document.text in ("Привет", "日本")
    assert document.meta["encoding"].replace("cp1251", "windows-1251") == encoding


@pytest.mark.slow
def test_fifty_thousand_files_are_read_in_bounded_memory(tmp_path):
    import tracemalloc

    for number in range(50_000):
        folder = tmp_path / f"{number // 500:03}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"# {number}\n\n" + "word " * 200, encoding="utf-8")
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_folder(tmp_path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 50_000
    assert peak < 60_000_000
