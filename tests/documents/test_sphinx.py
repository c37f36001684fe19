"""Sources of Sphinx that are called plain text are noticed; other plain text is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.folder import read_folder
from ragtrial.documents.model import Document
from ragtrial.documents.sphinx import TextSources, text_sources

PLAIN = "A letter.\n\nDear reader, it is 12:30 -- and :here: `now`.\n\n---\n\n* * *\n"
MARKED = {
    "directive": "Words.\n\n.. toctree::\n   :maxdepth: 1\n",
    "domain": "Words.\n\n.. py:function:: f(x)\n",
    "label": "Words.\n\n.. _here:\n\nMore.\n",
    "title": "标题\n====\n\nWords.\n",
    "role": "See :doc:`the guide <guide>`.\n",
    "crlf": "Title\r\n=====\r\n\r\nWords.\r\n",
}


def found(tmp_path, files, roots=None, **options):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    folder = read_folder([tmp_path / root for root in roots or ["docs"]], **options)
    return text_sources(folder, folder.roots)


@pytest.mark.parametrize("kind", sorted(MARKED))
def test_each_mark_is_enough(tmp_path, kind):
    assert found(tmp_path, {"docs/conf.py": "", "docs/a.txt": MARKED[kind]}) == TextSources(1, 1)


def test_half_of_the_texts_must_look_so(tmp_path):
    files = {"docs/conf.py": "", "docs/deep/er/a.txt": MARKED["title"], "docs/LICENSE.txt": PLAIN}
    assert found(tmp_path, files) == TextSources(2, 1)
    assert found(tmp_path, {"docs/more.TXT": PLAIN}) is None


def test_only_plain_text_below_a_configuration_counts(tmp_path):
    pytest.importorskip("docutils")
    files = {
        "conf.py": "",
        "docs/other/a.txt": MARKED["title"],
        "docs/source/conf.py": "",
        "docs/source/b.txt": MARKED["role"],
        "docs/source/c.md": MARKED["title"],
        "docs/source/d.rst": MARKED["title"],
    }
    assert found(tmp_path, files) == TextSources(1, 1)
    assert found(tmp_path, files, ["docs/source/b.txt"]) == TextSources(1, 1)
    assert found(tmp_path, files, ["docs/other"]) is None
    assert found(tmp_path, files, read_as={".txt": "rst"}) is None
    assert found(tmp_path, {"plain/conf.py": "", "plain/a.txt": PLAIN}, ["plain"]) is None


def test_the_sentence_names_the_option():
    assert TextSources(1200, 1000).sentence("--read-as") == (
        "1,000 of the 1,200 files in .txt beside or below a conf.py look like reStructuredText and were read as plain "
        "text, without headings: add --read-as .txt=rst."
    )


@given(st.text(alphabet="=-:.`_ ab\n\r\0\ud800Я字", max_size=200))
def test_any_text_is_looked_at(tmp_path_factory, text):
    place = tmp_path_factory.getbasetemp()
    (place / "conf.py").touch()
    result = text_sources([Document("a.txt", text, (), source=place / "a.txt")], [place])
    assert result in (None, TextSources(1, 1))
    if not any(mark in text for mark in (":", "==", "--", "``")):
        assert result is None
