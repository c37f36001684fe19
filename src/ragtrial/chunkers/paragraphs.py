"""Whole paragraphs packed up to a size, blind to headings (MDK's control P)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece, normalise_line_ends
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span

__all__ = ["Paragraphs"]

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_BLANK_LINE = "\n\n"


@dataclass(frozen=True)
class Paragraphs(Chunker):
    """Greedy packing of blocks separated by blank lines (METHODS section 2, MDK's P).

    A chunk closes when its text with the next block would be longer than ``max``
    characters; an oversize block stays whole, there is no minimum, fenced code is
    never split, and a heading is an ordinary block. Blocks are joined by a blank line.
    """

    spec_name: ClassVar[str] = "paragraphs"
    joiner: ClassVar[str | None] = _BLANK_LINE

    max: Annotated[int, Field(ge=1)] = 1500

    def split(self, document: Document) -> list[Piece]:
        """Return the packed blocks of one document."""
        pieces: list[Piece] = []
        current: list[Span] = []
        size = 0
        for span in _blocks(document.text):
            length = len(normalise_line_ends(document.text[span.start : span.end]))
            if current and size + len(_BLANK_LINE) + length > self.max:
                pieces.append(self._piece(document, current))
                current, size = [], 0
            size += length + (len(_BLANK_LINE) if current else 0)
            current.append(span)
        if current:
            pieces.append(self._piece(document, current))
        return pieces

    @staticmethod
    def _piece(document: Document, spans: list[Span]) -> Piece:
        return Piece(tuple(spans), document.path_at(spans[0].start))


def _blocks(text: str) -> list[Span]:
    """Return the runs of lines between blank lines; a fence keeps its blank lines, an unclosed one runs to the end."""
    spans: list[Span] = []
    start, end = -1, -1
    fence: str | None = None
    for match in _LINE.finditer(text):
        line = match[1]
        if fence is not None:
            end = match.end(1)
            stripped = line.strip()
            if stripped.startswith(fence) and not stripped.strip(fence[0]) and len(line) - len(line.lstrip(" ")) <= 3:
                fence = None
            continue
        if not line or line.isspace():
            if start >= 0:
                spans.append(Span(start, end))
                start = -1
            continue
        start = match.start() if start < 0 else start
        end = match.end(1)
        opener = _FENCE.match(line)
        fence = opener[1] if opener else None
    if start >= 0:
        spans.append(Span(start, end))
    return spans
