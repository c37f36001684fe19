import os
import tracemalloc

import pytest

from ragtrial.documents.folder import read_folder
from ragtrial.documents.formats import EXTENSIONS
from ragtrial.errors import DataError


@pytest.fixture
def docs(tmp_path):
    files = {
        "b.md": "# B\n",
        "a.txt": "A\n",
        "guide/one.MDX": "# One\n",
        "guide/deep/two.markdown": "# Two\n",
        "guide-x.md": "# X\n",
        "empty.md": "",
        "image.PNG": "x",
        "Makefile": "x",
        "data.adoc": "x",
        ".hidden.md": "# H\n",
        ".git/config.md": "# G\n",
        "guide/.cache/c.md": "# C\n",
    }
    for name, text in files.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "docs"


def ids(reading):
    return [document.id for document in reading]


def test_documents_come_in_the_order_of_their_paths(docs):
    reading = read_folder(docs)
    expected = ["a.txt", "b.md", "empty.md", "guide-x.md", "guide/deep/two.markdown", "guide/one.MDX"]
    assert ids(reading) == expected == sorted(expected)
    assert ids(reading) == expected, "a reading can be repeated"
    assert len(reading) == 6
    assert reading.skipped == ()
    assert dict(reading.other) == {".png": 1, "": 1, ".adoc": 1}
    assert [len(document.blocks) for document in reading if document.id == "empty.md"] == [0]


def test_patterns_choose_files(docs):
    assert ids(read_folder(docs, include=["guide/**"])) == ["guide/deep/two.markdown", "guide/one.MDX"]
    assert ids(read_folder(docs, exclude=["guide", "*.txt"])) == ["b.md", "empty.md", "guide-x.md"]
    assert ids(read_folder(docs, include=["*.md"], exclude=["guide*"])) == ["b.md", "empty.md"]


def test_hidden_names_are_read_only_if_a_pattern_writes_the_dot_out(docs):
    assert ids(read_folder(docs, include=[".hidden.md", ".git/**"])) == [".git/config.md", ".hidden.md"]
    assert ids(read_folder(docs, include=["guide/.cache/", "b.md"])) == ["b.md", "guide/.cache/c.md"]


def test_a_single_file_and_several_roots(docs):
    assert ids(read_folder(docs / "b.md")) == ["b.md"]
    assert ids(read_folder(str(docs / "guide"))) == ["deep/two.markdown", "one.MDX"]
    assert ids(read_folder([docs / "guide", docs / "a.txt"])) == ["deep/two.markdown", "one.MDX", "a.txt"]


def test_two_documents_with_one_id_are_refused(docs):
    (docs / "guide/deep/one.MDX").touch()
    with pytest.raises(DataError, match=r"two documents with one id, 'one\.MDX'") as caught:
        read_folder([docs / "guide", docs / "guide/deep"])
    assert str(docs / "guide/one.MDX") in caught.value.message
    assert str(docs / "guide/deep/one.MDX") in caught.value.message


def test_a_bad_file_is_skipped_with_its_reason_and_the_others_are_read(docs):
    (docs / "bad.md").write_bytes(b"\x00\xff\x00binary\x01")
    (docs / "latin.md").write_bytes("# Café\n".encode("latin-1"))
    reading = read_folder(docs)
    documents = list(reading)
    assert "bad.md" not in [document.id for document in documents]
    assert [document.text for document in documents if document.id == "latin.md"] == ["# Café\n"]
    (skipped,) = reading.skipped
    assert skipped.path == docs / "bad.md"
    assert "binary" in skipped.reason
    list(reading)
    assert len(reading.skipped) == 1, "a second reading counts afresh"


def test_links_are_followed_to_files_but_not_to_folders(docs):
    (docs / "loop").symlink_to(docs, target_is_directory=True)
    (docs / "broken.md").symlink_to(docs / "nowhere.md")
    (docs / "broken.png").symlink_to(docs / "nowhere.png")
    (docs / "self.md").symlink_to(docs / "self.md")
    (docs / "link.md").symlink_to(docs / "b.md")
    reading = read_folder(docs, include=["*.md"])
    assert ids(reading) == ["b.md", "empty.md", "guide-x.md", "link.md"]
    reasons = {skipped.path.name: skipped.reason for skipped in reading.skipped}
    assert reasons.keys() == {"loop", "broken.md", "self.md"}
    assert "link to a folder" in reasons["loop"]
    assert "broken link" in reasons["broken.md"]


def test_a_pipe_is_skipped_and_never_opened(docs):
    os.mkfifo(docs / "pipe.md")
    reading = read_folder(docs)
    assert len(ids(reading)) == 6
    assert "not a regular file" in reading.skipped[0].reason


def test_a_name_that_is_not_utf8_is_skipped(docs):
    try:
        (docs / os.fsdecode(b"caf\xe9.md")).touch()
    except OSError:
        pytest.skip("this file system has no such names")
    reading = read_folder(docs)
    assert len(ids(reading)) == 6
    assert "not valid UTF-8" in reading.skipped[0].reason
    assert reading.skipped[0].reason.encode()


def test_a_file_that_vanishes_is_skipped(docs):
    reading = read_folder(docs)
    (docs / "b.md").unlink()
    assert "b.md" not in ids(reading)
    assert "no such file" in reading.skipped[0].reason


def test_no_such_path(tmp_path):
    with pytest.raises(DataError, match=r"There is no .*nowhere"):
        read_folder(tmp_path / "nowhere")


def test_a_folder_without_documents_says_what_it_saw(tmp_path):
    with pytest.raises(DataError, match=r"no document in .*; saw no file at all"):
        read_folder(tmp_path)
    for name in ("a.xls", "b.xls", "README"):
        (tmp_path / name).touch()
    with pytest.raises(DataError) as caught:
        read_folder(tmp_path)
    assert caught.value.hint == f"Looked for {', '.join(EXTENSIONS)}; saw 1 of no extension, 2 of .xls."
    (tmp_path / "a.md").touch()
    with pytest.raises(DataError, match=r"that no include pattern matches"):
        read_folder(tmp_path, include=["x/**"])
    with pytest.raises(DataError, match=r"saw 1 of \.xls"):
        read_folder(tmp_path / "a.xls")


def test_a_folder_of_which_nothing_can_be_read(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\x00\x01")
    with pytest.raises(DataError, match=r"None of the 1 files .* can be read.*binary"):
        list(read_folder(tmp_path))


def test_memory_is_bounded_by_the_largest_document(tmp_path):
    size = 1_000_000
    for number in range(12):
        (tmp_path / f"{number:02}.txt").write_text("word " * (size // 5), encoding="utf-8")
    reading = read_folder(tmp_path)
    tracemalloc.start()
    try:
        for document in reading:
            assert len(document.text) == size
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * size
