"""Reads a page of MediaWiki wikitext."""

from __future__ import annotations

import re
from pathlib import Path

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind
from ragtrial.documents.wikitext.flat import Flat, FlatLine, Table, has_residue, inline, literal
from ragtrial.documents.wikitext.nesting import parse
from ragtrial.documents.wikitext.source import Verbatim, clean
from ragtrial.documents.writer import Writer

__all__ = ["read_wikitext"]

_HEADING = re.compile(r"(={1,6})(.+?)(=*)[ \t]*")
_LIST = re.compile(r"[*#:;]+")
_MARK = re.compile("\ue000([0-9]++)\ue004|\ue001|\ue002([0-9]++)\ue003")
_LISTING = re.compile("[ :*#]*\ue002([0-9]++)\ue003[ \t]*")


def read_wikitext(text: str, id: str = "document", *, source: Path | None = None) -> Document:  # noqa: A002  # the model's own word
    """Read a page by one canonical normaliser.

    Headings, paragraphs, lists, tables and listings become blocks. Links give their words; templates what
    `ragtrial.documents.wikitext.templates` says, most of them nothing; footnotes, files, galleries, comments and
    categories nothing. No text of the document has ``{{``, ``[[`` or ``<ref`` in it.

    Parameters
    ----------
    text : str
        The page as it is in a dump.
    id : str
        The document's id.
    source : Path, optional
        The file that the text was read from.

    Returns
    -------
    Document
        Its places are the lines of the page. Its ``meta`` has ``links`` (targets are titles of pages, with
        ``#section``), ``anchors`` (titles of headings), ``categories`` and ``dropped``, with the count of each
        template that gave no text.
    """
    cleaned = clean(text)
    flat = Flat(cleaned)
    writer = Writer()
    lines = _Lines(writer, flat, cleaned.verbatim)
    for item in flat.lines(parse(cleaned.text)):
        if isinstance(item, Table):
            lines.table(item)
        else:
            lines.line(item)
    writer.dropped.update(flat.dropped)
    meta: dict[str, object] = {"categories": tuple(flat.categories)} if flat.categories else {}
    return writer.document(id, source=source, meta=meta)


class _Lines:
    """Makes blocks of lines."""

    def __init__(self, writer: Writer, flat: Flat, verbatim: tuple[Verbatim, ...]) -> None:
        self._writer = writer
        self._flat = flat
        self._verbatim = verbatim
        self._in_list = False
        self._numbers: list[int] = []
        self._tail = ""

    def line(self, line: FlatLine) -> None:
        text = line.text
        self._writer.at = line.line
        if not text.strip():
            self._end()
        elif listing := _LISTING.fullmatch(text):
            self._listing(self._verbatim[int(listing[1])])
        elif text[0] == "=" and (found := _HEADING.fullmatch(text)) and found[3]:
            self._heading(found)
        elif marks := _LIST.match(text):
            self._item(marks[0], text[marks.end() :])
        elif text.startswith("----"):
            self._end()
        else:
            if self._in_list:
                self._end()
            self._writer.text(" ")
            self._words(text)

    def table(self, table: Table) -> None:
        """Write a table: a line a row, cells between bars, its caption as a paragraph before it."""
        self._end()
        self._writer.at = table.line
        self._words(table.caption, flat=True)
        self._writer.open(Kind.TABLE)
        for number, (line, row) in enumerate(table.rows):
            self._writer.at = line
            self._writer.start_line("| ", "| ")
            for place, cell in enumerate(row):
                self._words(cell.replace("\n", " "), flat=True)
                self._writer.text(" | " if place < len(row) - 1 else " |")
            if number == 0 and table.header:
                self._writer.start_line("| ", "| ")
                self._writer.text("--- | " * (len(row) - 1) + "--- |")
        self._end()

    def _end(self) -> None:
        self._writer.close()
        self._in_list = False
        self._numbers = []

    def _heading(self, found: re.Match[str]) -> None:
        level = min(len(found[1]), len(found[3]))
        title = found[1][level:] + found[2] + found[3][level:]
        self._end()
        words = " ".join(_MARK.sub("", inline(title)).split())
        if words:
            self._writer.anchor(words)
        self._writer.open(Kind.HEADING, level=level)
        self._words(title)
        self._end()

    def _item(self, marks: str, text: str) -> None:
        """Write an item of a list; a term (``;``) and an indented line (``:``) have no mark."""
        if not self._in_list:
            self._end()
            self._writer.open(Kind.LIST)
            self._in_list = True
        depth = len(marks)
        self._numbers = (self._numbers + [0] * depth)[:depth]
        mark = "- "
        if marks[-1] == "#":
            self._numbers[-1] += 1
            mark = f"{self._numbers[-1]}. "
        elif marks[-1] in ":;":
            mark = ""
        indent = "  " * (depth - 1)
        self._writer.start_line(indent + mark, indent + " " * len(mark))
        self._words(text)

    def _listing(self, verbatim: Verbatim) -> None:
        if not verbatim.listing:
            self._writer.text(" ")
            self._put(literal(verbatim.text))
            return
        self._end()
        self._writer.code(literal(verbatim.text), language=verbatim.language, first=verbatim.line)

    def _words(self, text: str, *, flat: bool = False) -> None:
        """Write a line's words, and its links."""
        for number, part in enumerate((text if flat else inline(text)).split("\n")):
            if number:
                self._writer.break_line()
            position = 0
            for mark in _MARK.finditer(part):
                self._put(part[position : mark.start()])
                position = mark.end()
                if mark[1]:
                    self._writer.begin_link(self._flat.targets[int(mark[1])])
                elif mark[2]:
                    self._put(literal(self._verbatim[int(mark[2])].text))
                else:
                    self._writer.end_link()
            self._put(part[position:])
        self._writer.end_link()

    def _put(self, text: str) -> None:
        """Write words; two pieces that are clean may still make a residue where they meet."""
        if has_residue(self._tail + text[:4]):
            self._writer.text(" ")
        self._writer.text(text)
        self._tail = (self._tail + text[-4:])[-4:]
