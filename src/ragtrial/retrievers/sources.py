"""Where indexed texts come from, for the few retrievers that need more than the texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.fields import Fields
from ragtrial.documents.title import below_title, title_heading
from ragtrial.errors import UsageError
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.ranking import IntArray, offsets_of

__all__ = ["SourceReader", "Sources", "index_with"]


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """The documents, sections and spans of indexed texts.

    Parameters
    ----------
    documents : tuple of str
        The documents' texts.
    document : int64 array, shape (chunks,)
        The number of each chunk's document.
    section : int64 array, shape (chunks,)
        The number of each chunk's section, from 0; a section is a document and a top-level heading (METHODS 4).
    offsets : int64 array, shape (chunks + 1,)
        Chunk ``i`` has the spans ``offsets[i]`` to ``offsets[i + 1]``.
    starts, ends : int64 arrays, shape (spans,)
        Half-open character ranges in the chunk's document.
    prefixed : bool
        Whether text that is in no document was put before any of the chunks.
    paths : tuple of tuples of str, length chunks
        The section path of each chunk; () where nobody asks for them.
    fields : tuple of Fields or None, length chunks
        What was generated for each chunk; None where nothing was.
    """

    documents: tuple[str, ...]
    document: IntArray
    section: IntArray
    offsets: IntArray
    starts: IntArray
    ends: IntArray
    prefixed: bool = False
    paths: tuple[tuple[str, ...], ...] = ()
    fields: tuple[Fields | None, ...] | None = None

    @classmethod
    def of(cls, chunks: ChunkSet) -> Self:
        """Take the sources of an arm's chunks.

        The heading that is the title of a whole document is no top-level one; those below it are. Chunks before the
        first heading make a section of their own, and headings of one name in one document make one section.
        """
        titles = [title_heading(document) for document in chunks.documents]
        numbers: dict[tuple[int, tuple[str, ...]], int] = {}
        section = [
            numbers.setdefault((document, below_title(path, titles[document])[:1]), len(numbers))
            for document, path in zip(chunks.document.tolist(), chunks.paths, strict=True)
        ]
        return cls(
            documents=tuple(document.text for document in chunks.documents),
            document=chunks.document,
            section=np.array(section, dtype=np.int64),
            offsets=chunks.offsets,
            starts=chunks.starts,
            ends=chunks.ends,
            prefixed=chunks.has_added_text,
            paths=chunks.paths,
            fields=None if chunks.generated is None else chunks.generated.fields,
        )

    def __len__(self) -> int:
        """The number of chunks."""
        return len(self.document)

    def take(self, chunks: IntArray) -> Self:
        """Return the sources of some of the chunks, in the given order."""
        widths = np.diff(self.offsets)[chunks]
        rows = np.repeat(self.offsets[chunks] - offsets_of(widths)[:-1], widths) + np.arange(widths.sum())
        numbers = chunks.tolist()
        return replace(
            self,
            document=self.document[chunks],
            section=self.section[chunks],
            offsets=offsets_of(widths),
            starts=self.starts[rows],
            ends=self.ends[rows],
            paths=tuple(self.paths[number] for number in numbers) if self.paths else (),
            fields=None if self.fields is None else tuple(self.fields[number] for number in numbers),
        )

    def chunks_of_documents(self) -> list[IntArray]:
        """Return the numbers of each document's chunks, in their order."""
        order = np.argsort(self.document, kind="stable")
        edges = offsets_of(np.bincount(self.document, minlength=len(self.documents))).tolist()
        return [order[start:end] for start, end in pairwise(edges)]

    def spans(self, chunk: int) -> list[tuple[int, int]]:
        """Return the character ranges of one chunk in its document."""
        rows = slice(int(self.offsets[chunk]), int(self.offsets[chunk + 1]))
        return list(zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True))

    def sections_with(self, document: int, spans: Sequence[tuple[int, int]]) -> set[int]:
        """Return the sections of a document that overlap any of some character ranges, such as those of evidence."""
        widths = np.diff(self.offsets)
        document_of, section_of = np.repeat(self.document, widths), np.repeat(self.section, widths)
        found: set[int] = set()
        for start, end in spans:
            overlaps = (document_of == document) & (self.starts < end) & (self.ends > start)
            found.update(section_of[overlaps].tolist())
        return found


@dataclass(frozen=True)
class SourceReader(Retriever):
    """Base of the retrievers that read sources, or may be made of ones that do."""

    @abstractmethod
    def index(self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None) -> Index:
        """Index texts as `Retriever.index` does; ``sources`` tells where each of them comes from.

        A retriever that needs sources and gets none raises `UsageError`.
        """

    def needed(self, sources: Sources | None, n_texts: int) -> Sources:
        """Return the sources; none, or those of another number of texts, raise `UsageError`."""
        if sources is None:
            raise UsageError(
                f"{self} needs to know where the texts come from, and got the texts alone.",
                hint="Give index(texts, pools, sources) the Sources of the chunks.",
            )
        if len(sources) != n_texts:
            raise UsageError(f"There are {n_texts} texts, but sources of {len(sources)}.")
        return sources


def index_with(
    retriever: Retriever, texts: Sequence[str], pools: npt.ArrayLike | None, sources: Sources | None
) -> Index:
    """Index texts with any retriever; those that read sources get them."""
    if isinstance(retriever, SourceReader):
        return retriever.index(texts, pools, sources)
    return retriever.index(texts, pools)
