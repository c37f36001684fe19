"""Which format a file is in by its name, and endings that are read as another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.files import read_file
from ragtrial.documents.folder import read_folder
from ragtrial.documents.formats import EXTENSIONS, checked_read_as, format_of
from ragtrial.errors import DataError, SpecError

RST = "Лампа\n=====\n\nНочью горит :ref:`фонарь <fonar>`.\n\n.. _fonar:\n\nФонарь\n------\n\nМасло и фитиль.\n"


@pytest.mark.parametrize(
    ("name", "read_as", "expected"),
    [
        ("a.TXT", {}, "text"),
        ("a.txt.gz", {".txt": "rst"}, "rst"),
        ("A.Txt", {".txt": "rst"}, "rst"),
        ("a.rst.txt", {".txt": "rst"}, "rst"),
        ("a.rst", {".txt": "text"}, "rst"),
        ("a.adoc", {".adoc": "text"}, "text"),
        ("a.adoc", {}, None),
        ("txt", {".txt": "rst"}, None),
        (".txt", {".txt": "rst"}, None),
        ("", {}, None),
    ],
)
def test_the_last_ending_says_the_format(name, read_as, expected):
    assert format_of(name, read_as) == expected


def test_endings_are_in_small_letters_and_may_be_said_twice():
    assert checked_read_as({".TXT": "rst", ".txt": "rst", ".Inc": "markdown"}) == {".txt": "rst", ".inc": "markdown"}


@pytest.mark.parametrize(
    ("read_as", "words"),
    [
        ({"txt": "rst"}, "'txt' is no ending of file names"),
        ({"": "rst"}, "'' is no ending"),
        ({".a.txt": "rst"}, "'.a.txt' is no ending"),
        ({".a/b": "rst"}, "is no ending"),
        ({".txt": "restructuredtext"}, "There is no format 'restructuredtext' to read '.txt' as"),
        ({".txt": ""}, "There is no format ''"),
        ({".zip": "text"}, "is opened"),
        ({".JSONL": "text"}, "is opened"),
        ({".gz": "text"}, "is opened"),
        ({".txt": "rst", ".TXT": "text"}, "two formats"),
    ],
)
def test_what_is_no_ending_or_no_format_is_refused(tmp_path, read_as, words):
    (tmp_path / "a.txt").write_text("a")
    for read in (checked_read_as, lambda given: read_folder(tmp_path, read_as=given)):
        with pytest.raises(SpecError) as caught:
            read(read_as)
        assert words in str(caught.value)


@given(st.dictionaries(st.text(max_size=6), st.text(max_size=6), max_size=3))
def test_any_words_are_taken_or_refused(read_as):
    try:
        found = checked_read_as(read_as)
    except SpecError:
        return
    assert checked_read_as(found) == found
    assert all(format_of(f"x{ending}", found) == name for ending, name in found.items())


def test_a_folder_is_read_as_is_said(tmp_path):
    pytest.importorskip("docutils")
    (tmp_path / "a.txt").write_text(RST, encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n\nWords.\n", encoding="utf-8")
    (tmp_path / "c.adoc").write_text("= C\n\nWords.\n", encoding="utf-8")
    plain = read_folder(tmp_path)
    assert [len(document.headings) for document in plain] == [0, 1]
    assert plain.other == {".adoc": 1}
    read = list(read_folder(tmp_path, read_as={".txt": "rst", ".md": "text", ".adoc": "text"}))
    assert [document.id for document in read] == ["a.txt", "b.md", "c.adoc"]
    assert [heading.title for heading in read[0].headings] == ["Лампа", "Фонарь"]
    assert [heading.title for heading in read[1].headings + read[2].headings] == []
    assert read[0].text == read_file(tmp_path / "a.txt", read_as={".TXT": "rst"}).text
    assert read[0].locate(read[0].text.index("Масло")) == f"{tmp_path / 'a.txt'}:11"


def test_a_kind_that_is_not_read_names_those_that_are(tmp_path):
    with pytest.raises(DataError) as caught:
        read_file(tmp_path / "a.xls", read_as={".adoc": "text"})
    assert caught.value.hint == f"Known: {', '.join(EXTENSIONS)}, .adoc."
    (tmp_path / "a.xls").write_bytes(b"x")
    with pytest.raises(DataError) as caught:
        read_folder(tmp_path, read_as={".adoc": "text"})
    assert ".adoc; saw 1 of .xls." in caught.value.hint
