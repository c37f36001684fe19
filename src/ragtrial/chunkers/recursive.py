"""The recursive splitter that most people run today, from the library that they run it from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.foreign import Cut, find_in_order
from ragtrial.documents.model import Document
from ragtrial.errors import MissingExtraError, SpecError
from ragtrial.text import tokens

__all__ = ["Recursive"]


@dataclass(frozen=True)
class Recursive(Chunker):
    """LangChain's ``RecursiveCharacterTextSplitter``: splits at blank lines, then lines, then blanks, then anywhere.

    A short form of ``external('langchain_text_splitters:RecursiveCharacterTextSplitter', ...)``
    with the sizes of its tutorials as defaults; ``unit='tokens'`` counts cl100k_base tokens.
    """

    spec_name: ClassVar[str] = "recursive"
    positional: ClassVar[int] = 2

    size: Annotated[int, Field(ge=1)] = 1000
    overlap: Annotated[int, Field(ge=0)] = 200
    unit: Literal["characters", "tokens"] = "characters"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.overlap >= self.size:
            raise SpecError(f"recursive: an overlap of {self.overlap} leaves chunks of {self.size} no step forward.")

    def parameters(self) -> dict[str, Any]:
        """Return all parameters and the version of the library."""
        _splitter(self)
        try:
            return super().parameters() | {"code": f"langchain-text-splitters {version('langchain-text-splitters')}"}
        except PackageNotFoundError as error:
            raise _missing() from error

    def split(self, document: Document) -> list[Piece]:
        """Return the pieces of one document."""
        if not document.text.strip():
            return []
        spans = find_in_order(document.text, [Cut(text) for text in _splitter(self)(document.text)])
        return [Piece((span,), document.path_at(span.start)) for span in spans]


@lru_cache(maxsize=8)
def _splitter(chunker: Recursive) -> Callable[[str], list[str]]:
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter
    except ImportError as error:
        raise _missing() from error
    return RecursiveCharacterTextSplitter(
        chunk_size=chunker.size,
        chunk_overlap=chunker.overlap,
        length_function=len if chunker.unit == "characters" else tokens.count,
    ).split_text


def _missing() -> MissingExtraError:
    return MissingExtraError("The chunker recursive needs langchain-text-splitters.", extra="langchain")
