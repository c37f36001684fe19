"""A document: one text, the blocks it is made of, and the section tree over them.

Every offset is a half-open ``[start, end)`` range of characters (code points) on
`Document.text`, and that text is what was read, unchanged: a byte order mark and
carriage returns stay where they are, so an offset is also an offset of the file.
Source: METHODS section 1.
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
    """

    id: str
    text: str
    blocks: tuple[Block, ...]
    section_table: tuple[Section, ...] | None = None
    meta: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    source: Path | None = None
    dialect: str | None = None

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
        """Return the line of the source, counted from 1, that holds an offset; LF, CRLF and lone CR end a line."""
        return bisect_right(self._line_starts, offset)

    def locate(self, offset: int) -> str:
        """Return ``file:line`` for an offset, or ``id:line`` for a document that has no file."""
        return f"{self.source or self.id}:{self.line_at(offset)}"

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
