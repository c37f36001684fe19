"""A document: one text, the blocks it is made of, and the section tree over them.

Every offset is a half-open ``[start, end)`` range of characters (code points) on
`Document.text`. Markdown and plain text are kept as they were read, unchanged: a byte
order mark and carriage returns stay where they are, so an offset is also an offset of
the file. Other formats are written out once as a canonical text, and ``places`` leads
back to their source. Source: METHODS section 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from ragtrial.documents.parts import Block, Heading, Kind, Section, Span, build_sections
from ragtrial.documents.places import Places, Unit
from ragtrial.documents.verify import violations

__all__ = ["Document"]


@dataclass(frozen=True, eq=False)
class Document:
    """An immutable document.

    Parameters
    ----------
    id : str
        Unique in a corpus; for files the path below the folder, with ``/``.
    text : str
        The text that all offsets refer to.
    blocks : tuple of Block
        In order, without overlap; between them only blank lines.
    section_table : tuple of Section, optional
        Given where sections come from elsewhere than from headings in the text.
    meta : mapping
        What the source says about the document (front matter, encoding ...).
    source : Path, optional
        The file it was read from.
    dialect : str, optional
        The Markdown dialect its blocks were read in; None for other formats.
    places : Places, optional
        Where the text comes from, if it is not the source itself.
    """

    id: str
    text: str
    blocks: tuple[Block, ...]
    section_table: tuple[Section, ...] | None = None
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    source: Path | None = None
    dialect: str | None = None
    places: Places | None = None

    def __repr__(self) -> str:
        return f"Document({self.id!r}, {len(self.text)} characters, {len(self.blocks)} blocks)"

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The headings of the document itself, in order (not those inside quotes, lists or code)."""
        return tuple(Heading(b.level, b.title, b.start, b.end) for b in self.blocks if b.kind is Kind.HEADING)

    @cached_property
    def paragraphs(self) -> tuple[Span, ...]:
        """The paragraph table: the ranges of all blocks but headings and front matter, in order."""
        return tuple(Span(b.start, b.end) for b in self.blocks if b.kind not in (Kind.HEADING, Kind.FRONT_MATTER))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The section tree as a flat list in document order; it tiles both the text and the paragraph table."""
        if self.section_table is not None:
            return self.section_table
        content_start = self.blocks[0].start if self.blocks else 0
        return build_sections(self.headings, self.paragraphs, content_start, len(self.text))

    def path_at(self, offset: int) -> tuple[str, ...]:
        """Return the titles of the headings that enclose an offset, outermost first.

        A heading belongs to its own section. An offset outside the text raises IndexError.
        """
        if not 0 <= offset <= len(self.text):
            raise IndexError(f"Offset {offset} is outside document {self.id!r}, which has {len(self.text)} characters.")
        number = bisect_right(self._section_starts, offset) - 1
        return self.sections[number].path if number >= 0 else ()

    def line_at(self, offset: int) -> int:
        """Return the line of the source, counted from 1, that holds an offset; LF, CRLF and lone CR end a line.

        Where the source has no lines (pages of a PDF, cells of a notebook) it is the line of the text.
        """
        if self.places is not None and self.places.unit == "line":
            return self.places.at(offset)
        return bisect_right(self._line_starts, offset)

    def place_at(self, offset: int) -> tuple[Unit, int]:
        """Return what part of the source an offset comes from: ``("line", 12)``, ``("page", 3)``."""
        if self.places is None:
            return "line", self.line_at(offset)
        return self.places.unit, self.places.at(offset)

    def locate(self, offset: int) -> str:
        """Return ``file:line`` or ``file, page 3`` for an offset, with the id for a document that has no file."""
        unit, number = self.place_at(offset)
        return f"{self.source or self.id}:{number}" if unit == "line" else f"{self.source or self.id}, {unit} {number}"

    def verify(self) -> list[str]:
        """Return every violation of the document model as a sentence; an empty list means verified."""
        return violations(self.text, self.blocks, self.sections, self.paragraphs)

    @cached_property
    def _section_starts(self) -> list[int]:
        return [section.start for section in self.sections]

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        text = self.text
        if "\r" not in text:
            position = text.find("\n")
            while position >= 0:
                starts.append(position + 1)
                position = text.find("\n", position + 1)
            return starts
        for position, (this, following) in enumerate(pairwise(text + " ")):
            if this == "\n" or (this == "\r" and following != "\n"):
                starts.append(position + 1)
        return starts
