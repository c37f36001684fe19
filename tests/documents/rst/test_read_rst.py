import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.files import read_file
from ragtrial.documents.parts import Kind
from ragtrial.documents.rst import read_rst
from ragtrial.errors import DataError, MissingExtraError

PAGE = """.. _start here:

=====
Title
=====

Para with ``code``, *emph*, :ref:`my title <other>`, :ref:`start here`,
:class:`~a.b.C`, `link <http://x.org>`_ and |version|.

.. note:: A note
   goes on.

.. my-extension:: its argument
   :option: 1

   its content

Sub
---

* one

  second
* two

  .. code-block:: python
     :linenos:

     print(1)

  after

+---+---+
| a | b |
+===+===+
| c | d |
+---+---+

Term
  Definition

.. versionadded:: 3.2
   It is new.

.. deprecated:: 3.4

.. py:function:: f(x)

   Does it.

.. toctree::
   :maxdepth: 2

   intro
   Guide <guide>

.. csv-table:: Numbers
   :header: n,m

   1,2

.. figure:: x.png
   :figwidth: image

   The caption

.. math:: a^2

.. raw:: html

   <b>raw</b>

.. date::

.. only:: html

   Only words.

.. unfinished role :nosuch:`text`. A comment.

A :nosuch:`role text` and a footnote [1]_.

.. [1] The note.
"""

TEXT = """# Title

Para with code, emph, my title, Title, C, link and |version|.

A note goes on.

its argument

its content

## Sub

- one
  second
- two

```python
print(1)
```

  after

| a | b |
| --- | --- |
| c | d |

Term

Definition

New in version 3.2: It is new.

Deprecated since version 3.4.

f(x)

Does it.

Numbers

| n | m |
| --- | --- |
| 1 | 2 |

The caption

$$
a^2
$$

Only words.

A role text and a footnote .

The note."""


def test_a_page_of_sphinx_becomes_its_canonical_text(laws):
    document = read_rst(PAGE, "p.rst")
    assert document.text == TEXT
    laws.check(document, PAGE)
    lines = PAGE.split("\n")
    for word in (
        "Title",
        "Sub",
        "second",
        "print(1)",
        "after",
        "| a",
        "Term",
        "f(x)",
        "Does",
        "Only",
        "caption",
    ):
        assert word in lines[document.line_at(document.text.index(word)) - 1], word
    assert document.path_at(document.text.index("Does it")) == ("Title", "Sub")


def test_links_labels_and_what_was_dropped():
    document = read_rst(PAGE)
    links = [(document.text[link.start : link.end], link.target) for link in document.meta["links"]]
    assert links == [("my title", "ref:other"), ("Title", "ref:start here"), ("link", "http://x.org")]
    assert document.meta["anchors"]["start here"] == document.meta["anchors"]["title"] == 0
    assert document.meta["anchors"]["sub"] == document.text.index("## Sub")
    assert document.meta["toctree"] == ("intro", "Guide <guide>")
    dropped = document.meta["dropped"]
    assert {"directive raw", "directive date", "directive toctree", "footnote mark"} <= set(dropped)


@pytest.fixture
def tree(tmp_path):
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("SECRET\n", encoding="utf-8")
    (docs / "part.inc").write_text("Included *words*.\n\n.. include:: /sub/deep.inc\n", encoding="utf-8")
    (docs / "sub" / "deep.inc").write_text("Deep words.\n\n.. include:: ../part.inc\n", encoding="utf-8")
    (docs / "code.py").write_text("# start\na = 1\nb = 2\n# end\n", encoding="utf-8")
    (docs / "link.inc").symlink_to(tmp_path / "secret.txt")
    return docs


def read(tree, text):
    (tree / "sub" / "page.rst").write_text(text, encoding="utf-8")
    return read_file(tree / "sub" / "page.rst", root=tree)


def test_files_are_included_from_the_documentation_and_never_in_a_circle(tree):
    document = read(tree, "Before.\n\n.. include:: ../part.inc\n\nAfter.\n")
    assert document.text == "Before.\n\nIncluded words.\n\nDeep words.\n\nAfter."
    assert document.line_at(document.text.index("Deep")) <= 3
    assert document.line_at(document.text.index("After")) == 5
    assert dict(document.meta["dropped"]) == {"include in a circle": 1}


@pytest.mark.parametrize(
    "name", ["../../secret.txt", "/../secret.txt", "../link.inc", "/etc/passwd", "<isonum.txt>", "missing.inc"]
)
@pytest.mark.parametrize("directive", ["include", "literalinclude"])
def test_nothing_outside_the_documentation_is_read(tree, name, directive):
    document = read(tree, f"a\n\n.. {directive}:: {name}\n\nb\n")
    assert document.text == "a\n\nb"
    assert sum(document.meta["dropped"].values()) == 1


@pytest.mark.parametrize(
    "text",
    [
        ".. csv-table::\n   :file: ../../secret.txt\n",
        ".. csv-table::\n   :url: file:///etc/passwd\n",
        ".. raw:: html\n   :file: ../../secret.txt\n",
        ".. |d| date::\n\n|d|\n",
        ".. include:: page.rst\n",
    ],
)
def test_no_directive_reads_a_file_or_the_clock(tree, text):
    document = read(tree, text)
    assert "SECRET" not in document.text
    assert "root:" not in document.text
    assert "202" not in document.text


def test_a_listing_is_included_with_the_lines_that_are_asked_for(tree):
    text = ".. literalinclude:: /code.py\n   :language: python\n   :start-after: # start\n   :end-before: # end\n"
    assert read(tree, text).text == "```python\na = 1\nb = 2\n```"
    assert read(tree, ".. literalinclude:: /code.py\n   :lines: 2-3\n").text == "```\na = 1\nb = 2\n```"


def test_without_a_file_nothing_is_included():
    assert read_rst(".. include:: /etc/passwd\n\nx").text == "x"


def test_docutils_is_left_as_it_was():
    from docutils.core import publish_string
    from docutils.parsers.rst import directives, roles

    before = directives.directive, roles.role, dict(roles._roles)
    read_rst(".. role:: special\n\n:special:`x` :nosuch:`y`\n\n.. default-role:: math\n\n`z`")
    assert (directives.directive, roles.role, dict(roles._roles)) == before
    assert b"Unknown directive" in publish_string(
        ".. nosuch::", writer="pseudoxml", settings_overrides={"warning_stream": False}
    )


def test_deep_sections_keep_their_depth():
    text = "".join(f"L{number}\n{mark * 3}\n\n" for number, mark in enumerate("=-~^\"'`:"))
    document = read_rst(text + "end")
    assert [heading.level for heading in document.headings] == list(range(1, 9))
    assert document.sections[-1].level == 4
    assert len(document.path_at(len(document.text))) == 8


def test_backslashes_part_words_and_are_not_read():
    document = read_rst(
        "Top\n===\n\nMany :class:`Case`\\ s, ``x``\\ y, \\*star, a\\ b and :ref:`t\\ x <top>`\\ s.\n\n"
        "- an item of :class:`Case`\\ s\n\n+---------------+\n| :class:`A`\\ s |\n+---------------+\n"
    )
    assert "\0" not in document.text
    assert "Many Cases, xy, *star, ab and txs." in document.text
    assert "an item of Cases" in document.text
    assert "| As |" in " ".join(document.text.split())
    (link,) = document.meta["links"]
    assert document.text[link.start : link.end] == "tx"


@pytest.mark.parametrize("text", ["Введение в виджеты", "部件简介", "مقدمة عن الأدوات"])
def test_other_alphabets(text, laws):
    page = f"{text}\n{'=' * 2 * len(text)}\n\n{text} :ref:`{text} <x>`\n\n* {text}\n"
    document = read_rst(page)
    assert document.text == f"# {text}\n\n{text} {text}\n\n- {text}"
    laws.check(document, page)


PARTS = st.sampled_from(
    [
        *(
            "a\n",
            "===\n",
            "---\n",
            "\n",
            "* b\n",
            "  c\n",
            "    d\n",
            "::\n",
            ".. x:: y\n",
            ".. note::\n",
            "1. e\n",
            "| f\n",
        ),
        *(
            ".. _g:\n",
            ".. [1] h\n",
            "+--+\n",
            "|  |\n",
            ":i: j\n",
            "`k`_ ",
            ":ref:`l` ",
            "*m ",
            "``n",
            "|o|",
            "= =\n",
            "-o  p\n",
        ),
        *(
            ".. code::\n",
            "   q\n",
            ".. table::\n",
            ".. list-table::\n\n   * - a\n",
            ".. include:: r\n",
            "__ s\n",
            ">>> t\n",
        ),
        *(
            ".. |u| replace:: v\n",
            "\t",
            "é中",
            "\0",
            "\ud800",
            ".. math::\n",
            "[#]_ ",
            ".. class:: w\n",
            ".. role:: z\n",
        ),
        *(
            ".. csv-table::\n\n   1,2\n",
            ".. contents::\n",
            ".. figure:: a\n",
            ".. default-role:: ref\n",
            "-- q\n",
            "term\n",
        ),
    ]
)


@settings(max_examples=150)
@given(st.lists(PARTS, max_size=25))
def test_any_soup_gives_a_sound_document(laws, parts):
    page = "".join(parts)
    try:
        document = read_rst(page)
    except DataError as error:
        pytest.fail(str(error))
    laws.check(document, page)


@settings(max_examples=50)
@given(st.text())
def test_any_text_gives_a_sound_document(laws, page):
    laws.check(read_rst(page), page)


def test_what_docutils_would_choke_on_is_refused():
    with pytest.raises(DataError, match=r"line of it has 5,000,000 characters"):
        read_rst("x" * 5_000_000)
    with pytest.raises(DataError, match=r"a paragraph of it has 25,000 characters"):
        read_rst("\n".join(["x" * 99] * 250) + "\n")
    with pytest.raises(DataError, match=r"nests too deeply|docutils cannot"):
        read_rst("".join(" " * number + "a\n\n" for number in range(2_000)))


def test_without_the_library_the_command_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "ragtrial.documents.rst.parsing", raising=False)
    monkeypatch.setitem(sys.modules, "docutils", None)
    with pytest.raises(MissingExtraError, match=r"docutils.*pip install 'ragtrial\[rst\]'"):
        read_rst("x")


def test_kinds_of_blocks():
    kinds = {block.kind for block in read_rst(PAGE + "\nx\n\n    quoted\n").blocks}
    assert kinds == {Kind.PARAGRAPH, Kind.HEADING, Kind.LIST, Kind.TABLE, Kind.CODE, Kind.MATH, Kind.QUOTE}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (":meth:`.Form.clean`", "Form.clean"),
        (":py:meth:`~.Form.clean`", "clean"),
        (":class:`!Form`", "Form"),
        (":attr:`the name <.Form.name>`", "the name"),
        (":file:`.gitignore`", ".gitignore"),
    ],
)
def test_names_of_objects_are_read_as_sphinx_shows_them(written, read):
    document = read_rst(f"Title\n=====\n\nSee {written} there.\n", id="x.rst")
    assert document.text.endswith(f"See {read} there.\n") or document.text.endswith(f"See {read} there.")
