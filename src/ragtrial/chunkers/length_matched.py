"""Windows as long as another chunker's chunks: the control that separates boundaries from length (MDK's FL)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Annotated, ClassVar

from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.windows import Tokens
from ragtrial.documents.model import Document
from ragtrial.errors import DataError
from ragtrial.text import tokens

__all__ = ["LengthMatched"]


@dataclass(frozen=True)
class LengthMatched(Chunker):
    """Non-overlapping token windows of the median token length of another chunker's chunks over the whole corpus.

    The size is ``round(median)`` (METHODS section 2, ``length-matched``). Used alone on one
    text, that text is the corpus. ``shift`` is the share of a window that the first one has, 0 for all of it: one
    setting of windows may be lucky, so that a study averages over several (MDK, appendix I).
    """

    spec_name: ClassVar[str] = "length_matched"

    of: Chunker = field(default_factory=Headers)
    shift: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @property
    def asks_model(self) -> bool:
        """Whether the matched chunker asks a language model."""
        return self.of.asks_model

    def fit(self, documents: Iterable[Document]) -> Chunker:
        """Return the `Tokens` chunker with the size that the corpus gives; documents may be a stream."""
        reference = self.of.fit(documents)
        counts = [tokens.count(text) for document in documents for text in reference.chunk_documents([document]).texts]
        if not counts:
            raise DataError(f"{self} needs documents with text to match a length to; there are none.")
        size = max(round(median(counts)), 1)
        return Tokens(size, shift=min(round(size * self.shift), size - 1))

    def split(self, document: Document) -> list[Piece]:
        """Return the windows of one document, matched to that document alone."""
        return self.fit([document]).split(document) if document.text.strip() else []
