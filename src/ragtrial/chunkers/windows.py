"""Fixed windows that know nothing of structure: by characters and by tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.errors import SpecError
from ragtrial.text import tokens

__all__ = ["Chars", "Tokens"]


@dataclass(frozen=True)
class Chars(Chunker):
    """Consecutive slices of ``size`` characters, each starting ``size - overlap`` after the one before.

    ``chars(512)`` is the study's F512c (METHODS section 2).
    """

    spec_name: ClassVar[str] = "chars"

    size: Annotated[int, Field(ge=1)]
    overlap: Annotated[int, Field(ge=0)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_overlap(self.spec_name, self.size, self.overlap)

    def split(self, document: Document) -> list[Piece]:
        """Return the slices of one document."""
        length = len(document.text)
        windows = [(start, min(start + self.size, length)) for start in _starts(length, self.size, self.overlap)]
        return _pieces(document, windows)


@dataclass(frozen=True)
class Tokens(Chunker):
    """Windows of ``size`` cl100k_base tokens of the whole document, overlapping by ``overlap`` tokens.

    ``tokens(256, overlap=32)`` is the study's F256t: windows start at 0, 224, 448 ... while
    the start is below max(n - 32, 1) (METHODS section 2). A token boundary inside a
    character moves to the end of that character, so that every window is a slice of the text. With ``shift`` the first
    window has only so many tokens, and all others start that much later.
    """

    spec_name: ClassVar[str] = "tokens"

    size: Annotated[int, Field(ge=1)]
    overlap: Annotated[int, Field(ge=0)] = 0
    shift: Annotated[int, Field(ge=0)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_overlap(self.spec_name, self.size, self.overlap)
        if self.shift and (self.overlap or self.shift >= self.size):
            raise SpecError(f"{self.spec_name}: a shift is for windows without overlap, and shorter than they are.")

    def split(self, document: Document) -> list[Piece]:
        """Return the windows of one document."""
        edges = np.append(tokens.token_starts(document.text), len(document.text))
        count = len(edges) - 1
        starts = [*range(0, self.shift, self.size), *(self.shift + s for s in _starts(count, self.size, self.overlap))]
        first = np.minimum(starts, count)
        last = np.minimum([*first[1:], count] if self.shift else first + self.size, count)
        windows = zip(edges[first].tolist(), edges[last].tolist(), strict=True)
        return _pieces(document, [(start, end) for start, end in windows if start < end])


def _check_overlap(name: str, size: int, overlap: int) -> None:
    if overlap >= size:
        raise SpecError(f"{name}: an overlap of {overlap} leaves windows of {size} no step forward.")


def _starts(length: int, size: int, overlap: int) -> range:
    return range(0, max(length - overlap, 1), size - overlap)


def _pieces(document: Document, windows: list[tuple[int, int]]) -> list[Piece]:
    if not document.text or document.text.isspace():
        return []
    return [Piece((Span(start, end),), document.path_at(start)) for start, end in windows]
