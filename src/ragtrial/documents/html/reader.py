"""Reads a page of HTML: its content as a document, what is not content counted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ragtrial.documents.html.content import find_content, letters
from ragtrial.documents.html.lines import mark_lines, unmarked
from ragtrial.documents.html.walk import Walk
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind
from ragtrial.documents.writer import Writer
from ragtrial.errors import MissingExtraError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

__all__ = ["declared_encoding", "read_html"]

_DECLARED = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_html(text: str, id: str = "document", *, source: Path | None = None) -> Document:  # noqa: A002  # the model's own word
    """Read a page.

    Parameters
    ----------
    text : str
        The page as it is in its file.
    id : str
        The document's id.
    source : Path, optional
        The file that the text was read from.

    Returns
    -------
    Document
        Its text is the page's content (see `ragtrial.documents.html.content`) in the canonical form of
        `ragtrial.documents.writer`; its places are the lines of the source. Its ``meta`` has ``title`` if the page
        has a title and no first-level heading, ``language`` if the page names it, ``links``, ``anchors`` and
        ``dropped``, with the number of characters outside the content.

    Raises
    ------
    MissingExtraError
        The library selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise MissingExtraError("Reading HTML needs the library selectolax.", extra="html") from error
    marked = mark_lines(_SURROGATE.sub("\ufffd", text))
    writer = Writer()
    meta: dict[str, object] = {}
    tree = LexborHTMLParser(marked)
    body, content = tree.body, find_content(tree)
    total = letters(body) if body is not None else 0
    if content is not None:
        size = letters(content)
        Walk(writer).read(content)
        if body is not None and (outside := total - size):
            writer.dropped["characters outside the content"] = outside
    if language := _attribute(tree, "html", "lang"):
        meta["language"] = language
    document = writer.document(id, source=source, meta=meta)
    if any(block.kind is Kind.HEADING and block.level == 1 for block in document.blocks):
        return document
    title = tree.css_first("title")
    if title is not None and (words := " ".join(unmarked(title.text(deep=True)).split())):
        return writer.document(id, source=source, meta={"title": words, **meta})
    return document


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a page declares in its first 2,048 bytes, None if it declares none."""
    found = _DECLARED.search(data[:2048])
    return found[1].decode("ascii") if found else None


def _attribute(tree: LexborHTMLParser, tag: str, name: str) -> str:
    node = tree.css_first(tag)
    return unmarked((node.attributes.get(name) or "").strip()) if node is not None else ""
