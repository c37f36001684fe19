"""From the tree of a page to lines of flat text: what is in a template, a link or a table's cell becomes words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from ragtrial.documents.wikitext.nesting import Node, Words
from ragtrial.documents.wikitext.source import Cleaned
from ragtrial.documents.wikitext.templates import Arguments, template_text

__all__ = ["Flat", "FlatLine", "Table", "has_residue", "inline", "literal"]

_NOT_SHOWN = frozenset(
    (
        *("file", "image", "media", "category", "datei", "bild", "fichier", "archivo", "immagine", "kategorie"),
        *("catégorie", "categoría", "categoria", "файл", "изображение", "категория", "文件", "分类", "ملف", "تصنيف"),
    )
)
_CATEGORIES = frozenset(("category", "kategorie", "catégorie", "categoría", "categoria", "категория", "分类", "تصنيف"))
_LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10})?")
_EXTERNAL = re.compile(
    r"\[((?:https?|ftps?|news|irc|git|svn)://[^\s\[\]<>\"]++|//[^\s\[\]<>\"]++|mailto:[^\s\[\]<>\"]++)"
    r"(?:[ \t]++([^\[\]\n]*+))?\]",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<br\b[^<>]*+>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_QUOTES = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z]{3,20}__")
_RESIDUE = re.compile(r"\{(?=\{)|\[(?=\[)|<(?=ref)", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"""\s*(?:[\w:-]+\s*=\s*(?:"[^"]*+"|'[^']*+'|[^\s"'|]++)\s*)++""")


class FlatLine(NamedTuple):
    """A line of text with marks for links and for what was put aside, and its line in the source."""

    text: str
    line: int


class Table(NamedTuple):
    """A table: its caption, its rows, each with the line of its first cell, and whether the first one is a header."""

    caption: str
    rows: list[tuple[int, list[str]]]
    header: bool
    line: int


class Flat:
    """Flattens the tree of one page.

    Attributes
    ----------
    targets : list of str
        The targets of the links, by the numbers in their marks.
    categories : list of str
        In the order of the page.
    dropped : Counter
        Templates without text, and files, by name.
    """

    def __init__(self, cleaned: Cleaned) -> None:
        self.targets: list[str] = []
        self.categories: list[str] = []
        self.dropped = cleaned.dropped
        self._cleaned = cleaned

    def lines(self, page: Node) -> Iterator[FlatLine | Table]:
        """Yield the lines of a page, and its tables where they stand."""
        parts: list[str] = []
        first = 1
        for item in page.content:
            if isinstance(item, Node) and item.kind == "table":
                yield FlatLine("".join(parts), first)
                parts = []
                yield self._table(item)
                continue
            text, offset = (self._node(item), -1) if isinstance(item, Node) else item
            for number, piece in enumerate(text.split("\n")):
                if number:
                    yield FlatLine("".join(parts), first)
                    parts = []
                if not parts:
                    first = self._cleaned.line(item.start if offset < 0 else offset)
                parts.append(piece)
                if offset >= 0:
                    offset += len(piece) + 1
        yield FlatLine("".join(parts), first)

    def _node(self, node: Node) -> str:
        """Return the text of a template, parameter, link, or a table inside one of them."""
        if node.kind == "link":
            return self._link(node)
        if node.kind == "template":
            return self._template(node)
        if node.kind == "parameter":
            # {{{name|default}}}: a page that is read has no parameters, so the default it is.
            parts = self._split(node.content)
            return parts[1] if len(parts) > 1 else ""
        table = self._table(node)
        return " ".join(word for _, row in table.rows for word in row if word)

    def _text(self, content: list[Words | Node]) -> str:
        return "".join(self._node(item) if isinstance(item, Node) else item.text for item in content)

    def _split(self, content: list[Words | Node]) -> list[str]:
        """Return the texts between the bars of a bracket's content."""
        parts: list[list[str]] = [[]]
        for item in content:
            if isinstance(item, Node):
                parts[-1].append(self._node(item))
                continue
            first, *others = item.text.split("|")
            parts[-1].append(first)
            parts += [[other] for other in others]
        return ["".join(part) for part in parts]

    def _link(self, node: Node) -> str:
        first = node.content[0] if node.content else None
        target = first.text.partition("|")[0].strip() if isinstance(first, Words) else ""
        space, colon, name = target.partition(":")
        space = space.strip().lower()
        if colon and space in _CATEGORIES:
            self.categories.append(" ".join(name.split("|")[0].split()))
            return ""
        if colon and space in _NOT_SHOWN:
            self.dropped["file"] += 1
            return ""
        parts = self._split(node.content)
        target = parts[0].strip()
        if len(parts) == 1:
            if colon and _LANGUAGE_LINK.fullmatch(space):
                self.dropped["language link"] += 1
                return ""
            shown = target.removeprefix(":")
        else:
            # The pipe trick, [[word (sense)|]], is expanded when a page is saved; a dump may still have it.
            shown = "|".join(parts[1:]) or target.partition(" (")[0]
        if not shown.strip():
            return shown
        self.targets.append(" ".join(target.split()))
        return f"\ue000{len(self.targets) - 1}\ue004{' '.join(shown.splitlines())}\ue001"

    def _template(self, node: Node) -> str:
        parts = self._split(node.content)
        name = inline(parts[0]).strip()
        given: list[str] = []
        named: dict[str, str] = {}
        head, colon, rest = name.partition(":")
        if colon and head.lower() == "formatnum":
            return rest
        for part in parts[1:]:
            key, equals, value = part.partition("=")
            if equals and "<" not in key and "\ue000" not in key:
                named[key.strip().lower()] = value
            else:
                given.append(part)
        text = template_text(name, Arguments(given, named))
        if text is None:
            self.dropped[f"template {' '.join(name.replace('_', ' ').lower().split())[:60]}"] += 1
            return ""
        return text

    def _table(self, node: Node) -> Table:
        """Return the rows of a table; attributes go, cells without text stay so that columns do."""
        lines = self._table_lines(node)
        next(lines, None)
        caption: list[str] = []
        rows: list[list[str]] = [[]]
        numbers = [0]
        first = self._cleaned.line(node.start)
        header = False
        target: list[str] | None = None
        for line, number in lines:
            mark = line.lstrip(" :")[:2]
            body = line.lstrip(" :")
            if mark == "|-":
                rows.append([])
                numbers.append(0)
                target = None
            elif mark == "|+":
                caption.append(_without_attributes(body[2:]))
                first = number
                target = caption
            elif mark[:1] in ("|", "!"):
                cells = body[1:].replace("!!", "||").split("||") if mark[0] == "!" else body[1:].split("||")
                header = header or (mark[0] == "!" and not any(rows[:-1]) and not rows[-1])
                header = header and (mark[0] == "!" or any(rows[:-1]))
                numbers[-1] = numbers[-1] or number
                rows[-1] += [_without_attributes(cell) for cell in cells]
                target = rows[-1]
            elif target:
                target[-1] += " " + body
        shown = [[inline(cell.replace("\ue007", "|")) for cell in row] for row in rows]
        kept = [(number, row) for number, row in zip(numbers, shown, strict=True) if any(cell.strip() for cell in row)]
        text = inline(" ".join(caption).replace("\ue007", "|"))
        return Table(text, kept, header, first)

    def _table_lines(self, node: Node) -> Iterator[tuple[str, int]]:
        """Yield the lines of a table and their numbers; bars and line ends in brackets are none of the table's."""
        parts: list[str] = []
        number = self._cleaned.line(node.start)
        for item in node.content:
            if isinstance(item, Node):
                parts.append(self._node(item).replace("|", "\ue007").replace("\n", " "))
                continue
            offset = item.start
            for place, piece in enumerate(item.text.split("\n")):
                if place:
                    yield "".join(parts), number
                    parts = []
                if not parts:
                    number = self._cleaned.line(offset)
                parts.append(piece)
                offset += len(piece) + 1
        yield "".join(parts), number


def _without_attributes(cell: str) -> str:
    before, bar, after = cell.partition("|")
    return after if bar and _ATTRIBUTES.fullmatch(before) else cell


def inline(text: str) -> str:
    """Return the flat text of one line: no quotes for type, no tags, external links by their words, no residue.

    A ``<br>`` becomes a line end. What looks like the start of a template, a link or a footnote although it is none
    gets a blank between its letters (``{ {``, ``[ [``, ``< ref``), so that no text that is indexed has any.
    """
    if "[" in text:
        text = _EXTERNAL.sub(lambda found: found[2] or "", text)
    if "''" in text:
        text = _QUOTES.sub(lambda run: "'" * {2: 0, 3: 0, 4: 1, 5: 0}.get(len(run[0]), len(run[0]) - 5), text)
    if "<" in text:
        text = _TAG.sub("", _BREAK.sub("\n", text))
    if "&" in text:
        text = html.unescape(text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    return _separated(text)


def literal(text: str) -> str:
    """Return text whose marks mean nothing (``nowiki``, a listing) as it is shown, without residue."""
    return _separated(html.unescape(text))


def _separated(text: str) -> str:
    return _RESIDUE.sub(lambda mark: mark[0] + " ", text)


def has_residue(text: str) -> bool:
    """Tell whether a text has what looks like the start of a template, a link or a footnote."""
    return bool(_RESIDUE.search(text))
