"""``title`` and ``lead``: what a document says of itself, before each of its chunks, for free.

The free twins of a generated document summary (Reuter et al. 2025) and of generated context.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, Final

from pydantic import Field

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind
from ragtrial.documents.title import document_title
from ragtrial.text.sentences import sentence_ends

__all__ = ["Lead", "Title", "lead_of"]

_LONGEST: Final = 4000
"""Characters of a text that are searched for sentences."""


@dataclass(frozen=True)
class Title(Step):
    """Put the document's title and a blank line before each chunk.

    The title is ``title`` of the document's metadata, else its first heading if no other is of level 1, else its id.
    """

    spec_name: ClassVar[str] = "title"

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with the title in front of whatever prefix they have."""
        return _put(chunks, [document_title(document) for document in chunks.documents])


@dataclass(frozen=True)
class Lead(Step):
    """Put the first sentences of the document's text, and a blank line, before each chunk.

    ``sentences`` is how many. Headings, tables, code and lists are passed over; a document without any other text
    gets nothing.
    """

    spec_name: ClassVar[str] = "lead"

    sentences: Annotated[int, Field(ge=1)] = 2

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with the lead in front of whatever prefix they have."""
        return _put(chunks, [lead_of(_paragraphs(document), self.sentences) for document in chunks.documents])


def lead_of(texts: Iterable[str], sentences: int) -> str:
    """Return the first sentences of some texts, read one after another, on one line."""
    found: list[str] = []
    wanted = sentences
    for text in texts:
        ends = [end for start, end in pairwise([0, *sentence_ends(text[:_LONGEST])]) if text[start:end].strip()]
        found += text[: ends[:wanted][-1]].split() if ends else []
        wanted -= len(ends)
        if wanted <= 0:
            break
    return " ".join(found)


def _paragraphs(document: Document) -> Iterable[str]:
    return (document.text[block.start : block.end] for block in document.blocks if block.kind is Kind.PARAGRAPH)


def _put(chunks: ChunkSet, of_documents: list[str]) -> ChunkSet:
    shown = [f"{text}\n\n" if text else "" for text in of_documents]
    numbers = chunks.document.tolist()
    return chunks.with_prefixes(
        [shown[number] + prefix for number, prefix in zip(numbers, chunks.prefixes, strict=True)]
    )
