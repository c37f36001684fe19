"""From the elements of a page's content to the canonical text.

Headings, paragraphs, code, lists, quotes and tables become blocks of their kind; all other elements only separate
or carry text. A list or table that holds a heading, or a table that holds code or another table, is layout: what is
in it is read as if it were not there. The walk keeps its own stack, so depth is no limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragtrial.documents.html.content import INVISIBLE, boilerplate
from ragtrial.documents.html.lines import pieces, unmarked
from ragtrial.documents.html.tables import is_layout, write_table
from ragtrial.documents.parts import Kind
from ragtrial.documents.writer import Writer

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["Walk"]

_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "body",
            "center",
            "dd",
            "details",
            "dir",
            "div",
            "dl",
            "fieldset",
            "figcaption",
        ),
        *("figure", "form", "header", "hgroup", "legend", "main", "p", "search", "section", "summary", "tbody", "td"),
        *("tfoot", "th", "thead", "tr", "caption"),
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight|highlight-source|brush:)[-\s]*([A-Za-z0-9_+#.-]+)")
_HEADING_SIGNS = ("¶", "§", "#", "🔗")
_INVISIBLE_LETTERS = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))

_Enter = bool
"""Whether the children of an element are read too."""


class Walk:
    """Reads one element into a writer."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._line = 1
        self._quotes = 0
        # Of each open list the number of its next item, 0 for bullets, None for one that is layout.
        self._lists: list[int | None] = []
        self._readers: dict[str, Callable[[LexborNode, dict[str, str | None]], _Enter]] = {
            "a": self._enter_link,
            "blockquote": self._enter_quote,
            "br": self._break,
            "hr": self._separate,
            "img": self._image,
            "li": self._enter_item,
            "math": self._math,
            "ol": self._enter_list,
            "pre": self._code,
            "table": self._table,
            "ul": self._enter_list,
        }
        self._leavers: dict[str, Callable[[], None]] = {
            "a": writer.end_link,
            "blockquote": self._leave_quote,
            "li": self._leave_item,
            "ol": self._leave_list,
            "ul": self._leave_list,
        }

    def read(self, root: LexborNode) -> None:
        """Read the children of an element."""
        open_elements: list[LexborNode] = []
        node = root.child
        while True:
            if node is not None:
                entered = self._enter(node)
                child = node.child if entered else None
                if child is not None:
                    open_elements.append(node)
                    node = child
                    continue
                if entered:
                    self._leave(node.tag or "")
                node = node.next
            elif open_elements:
                last = open_elements.pop()
                self._leave(last.tag or "")
                node = last.next
            else:
                break
        self._writer.close()

    def _enter(self, node: LexborNode) -> _Enter:
        tag = node.tag or ""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        if not node.is_element_node or tag in INVISIBLE:
            return False
        attributes = node.attributes
        if reason := boilerplate(tag, attributes):
            if (node.text(deep=True) or "").strip():
                self._writer.dropped[reason] += 1
            return False
        for key in ("id", "name") if tag == "a" else ("id",):
            if name := attributes.get(key):
                if tag in _BLOCKS or tag in _HEADINGS:
                    self._separate_block()
                self._writer.anchor(unmarked(name))
        if tag in _HEADINGS:
            self._lists_are_layout()
            self._writer.open(Kind.HEADING, level=_HEADINGS[tag])
            return True
        reader = self._readers.get(tag)
        if reader is not None:
            return reader(node, attributes)
        if tag in _BLOCKS:
            self._separate_block()
        return True

    def _leave(self, tag: str) -> None:
        leaver = self._leavers.get(tag)
        if leaver is not None:
            leaver()
        elif tag in _HEADINGS:
            self._writer.close()
        elif tag in _BLOCKS:
            self._separate_block()

    def _text(self, text: str) -> None:
        for line, piece in pieces(text, self._line):
            self._line = self._writer.at = line
            if not self._writer.is_open and self._quotes and piece.strip():
                self._reopen()
            self._writer.text(piece.translate(_INVISIBLE_LETTERS))

    def _reopen(self) -> None:
        self._writer.open(Kind.QUOTE, prefix="> ")

    def _separate_block(self) -> None:
        """End a paragraph; in the item of a list only its line, since a list is one block."""
        if self._in_list():
            self._writer.break_line()
        else:
            self._writer.close()

    def _in_list(self) -> bool:
        return bool(self._lists) and self._lists[-1] is not None

    def _lists_are_layout(self) -> None:
        self._lists = [None for _ in self._lists]

    def _enter_link(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:
        target = unmarked(attributes.get("href") or "").strip()
        if target.startswith("#") and unmarked(node.text(deep=True) or "").strip() in _HEADING_SIGNS:
            self._writer.dropped["heading anchor"] += 1
            return False
        if target:
            self._writer.begin_link(target)
        return True

    def _break(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        self._writer.break_line()
        return False

    def _separate(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        self._separate_block()
        return False

    def _image(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        if alternative := attributes.get("alt"):
            self._text(f" {alternative} ")
        return False

    def _math(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:
        source = node.css_first("annotation[encoding='application/x-tex']")
        text = source.text(deep=True) if source is not None else attributes.get("alttext")
        if not text:
            return True
        self._text(f" {text} ")
        return False

    def _code(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:
        for mark in node.css(".linenos, .lineno, button"):
            mark.decompose()
        text, first = "", None
        for line, piece in pieces(node.text(deep=True) or "", self._line):
            self._line = line
            if first is None and piece.strip():
                self._writer.at = line
                first = line - text.count("\n")
            text += piece
        if first is None or self._line - first > text.rstrip().count("\n"):
            # Line ends that the source writes as <br> or not at all: only the first line is known.
            first = None
        self._writer.code(text, language=_language(node, attributes), first=first)
        if self._in_list():
            self._resume_item()
        return False

    def _table(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        if is_layout(node):
            self._lists_are_layout()
            self._writer.close()
            return True
        self._line = write_table(node, self._writer, self._line)
        if self._in_list():
            self._resume_item()
        return False

    def _enter_quote(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        self._separate_block()
        self._quotes += 0 if self._in_list() else 1
        return True

    def _leave_quote(self) -> None:
        self._separate_block()
        self._quotes -= 0 if self._in_list() else 1
        self._quotes = max(self._quotes, 0)

    def _enter_list(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:
        if node.css_first("h1, h2, h3, h4, h5, h6") is not None:
            self._lists_are_layout()
            self._writer.close()
            self._lists.append(None)
            return True
        if self._in_list():
            self._writer.break_line()
        else:
            self._writer.open(Kind.LIST)
        start = attributes.get("start") or "1"
        numbered = node.tag == "ol"
        self._lists.append(
            (int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1) if numbered else 0
        )
        return True

    def _leave_list(self) -> None:
        if self._lists:
            self._lists.pop()
        self._separate_block()

    def _enter_item(self, node: LexborNode, attributes: dict[str, str | None]) -> _Enter:  # noqa: ARG002
        if not self._in_list():
            self._writer.close()
            return True
        number = self._lists[-1]
        assert number is not None
        indent = self._indent() - 2
        mark = f"{number}. " if number else "- "
        if number:
            self._lists[-1] = number + 1
        if not self._writer.is_open:
            self._writer.open(Kind.LIST)
        self._writer.start_line(" " * indent + mark, " " * (indent + len(mark)))
        return True

    def _leave_item(self) -> None:
        self._separate_block()

    def _indent(self) -> int:
        return 2 * sum(entry is not None for entry in self._lists)

    def _resume_item(self) -> None:
        """Go on with an item after a block that a list cannot hold."""
        indent = " " * self._indent()
        self._writer.open(Kind.LIST, prefix=indent)


def _language(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """Return the language that a block of code names in a class of its own, its code's or one of its parents'."""
    code = node.css_first("code")
    classes = [attributes.get("class"), code.attributes.get("class") if code is not None else None]
    parent = node.parent
    for _ in range(2):
        if parent is not None and parent.is_element_node:
            classes.append(parent.attributes.get("class"))
            parent = parent.parent
    for names in classes:
        found = _LANGUAGE.search(unmarked(names or ""))
        if found and found[1] not in ("default", "text", "none", "notranslate"):
            return found[1]
    return ""
