"""The reader of plain text: blocks between blank lines, no headings."""

from __future__ import annotations

import re
from pathlib import Path

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind

__all__ = ["read_text"]

# LF, CRLF and a lone CR end a line. Possessive, so that a CRLF is never taken for two line ends; it
# begins with a set of characters, which the engine finds four times as fast as an alternation.
_LINE_END = r"[\r\n](?:(?<=\r)\n)?+"
_BLANK_START = re.compile(rf"\ufeff?(?:[ \t]*+{_LINE_END})*")
_BETWEEN_BLOCKS = re.compile(rf"{_LINE_END}(?:[ \t]*+(?:{_LINE_END}|\Z))+")


def read_text(text: str, *, id: str, source: Path | None = None) -> Document:  # noqa: A002  # the model's own word
    """Read plain text: every run of lines between blank lines is a paragraph.

    Parameters
    ----------
    text : str
        The whole text; it is kept unchanged, byte order mark and line ends included.
    id : str
        The document's id.
    source : Path, optional
        The file the text comes from.

    Returns
    -------
    Document
        Its blocks are all paragraphs; a blank text has none. A line of spaces and
        tabs only is blank. Source: METHODS section 1.
    """
    blocks = []
    blank = _BLANK_START.match(text)
    start = blank.end() if blank else 0
    for gap in _BETWEEN_BLOCKS.finditer(text):
        if gap.start() > start:
            blocks.append(Block(Kind.PARAGRAPH, start, gap.start()))
        start = gap.end()
    if text[start:].strip(" \t"):
        blocks.append(Block(Kind.PARAGRAPH, start, len(text)))
    return Document(id, text, tuple(blocks), source=source)
