"""What every chunker is: a component that cuts documents, usable alone or in an arm."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ragtrial.chunkers.chunkset import Chunk, ChunkSet, Piece, text_of
from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.model import Document
from ragtrial.specs import Component

__all__ = ["Chunker", "Dialect"]

Dialect = Literal["commonmark", "study"]


@dataclass(frozen=True)
class Chunker(Component):
    """Base of all chunkers.

    A subclass implements `split`. One that needs to see the whole corpus first
    (``length_matched``) also implements `fit`.
    """

    joiner: ClassVar[str | None] = None
    """What stands between the spans of a re-joined chunk; None where a chunk is one exact slice."""

    @abstractmethod
    def split(self, document: Document) -> list[Piece]:
        """Return the pieces of one document, in order; a blank document has none."""

    def fit(self, documents: Iterable[Document]) -> Chunker:  # noqa: ARG002  # most chunkers need no corpus
        """Return the chunker whose parameters the corpus has settled; itself where there is nothing to settle."""
        return self

    @property
    def asks_model(self) -> bool:
        """Whether the chunker asks a language model, which may cost money."""
        return False

    def prepare(self, documents: Sequence[Document]) -> None:
        """Do what takes long for each document for several at a time, so that `split` finds it done.

        A chunker that asks a model raises `FailedDocumentsError` for those that it cannot cut.
        """

    def report(self, documents: Sequence[Document]) -> Mapping[str, Any] | None:  # noqa: ARG002  # most count nothing
        """Return what was counted when documents were cut, JSON-ready with ``step`` and ``given``; None for nothing."""
        return None

    def read(self, text: str) -> Document:
        """Read a text as Markdown; a chunker with a dialect reads it in that."""
        return read_markdown(text)

    def chunk(self, text: str | Document) -> list[Chunk]:
        """Cut one text (read as Markdown) or document into chunks."""
        document = text if isinstance(text, Document) else self.read(text)
        fitted = self.fit((document,))
        source, joiner, name = document.text, fitted.joiner, document.id
        make = tuple.__new__  # the constructor of a named tuple would take twice the time
        return [
            make(Chunk, (name, index, text_of(source, spans, joiner), path, spans, prefix, None, ""))
            for index, (spans, path, prefix) in enumerate(fitted.split(document))
        ]

    __call__ = chunk

    def chunk_batch(self, texts: Iterable[str | Document]) -> list[list[Chunk]]:
        """Cut several texts or documents; what has to be settled over a corpus is settled over all of them."""
        documents = [text if isinstance(text, Document) else self.read(text) for text in texts]
        fitted = self.fit(documents)
        return [fitted.chunk(document) for document in documents]

    def chunk_documents(self, documents: Sequence[Document]) -> ChunkSet:
        """Cut a corpus into one columnar chunk set."""
        fitted = self.fit(documents)
        fitted.prepare(documents)
        chunks = ChunkSet.build(documents, [fitted.split(document) for document in documents], joiner=fitted.joiner)
        report = fitted.report(documents)
        return chunks if report is None else chunks.noting(report)
