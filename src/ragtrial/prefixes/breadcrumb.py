"""The breadcrumb: a document's title and the path to a chunk, in brackets (KMR's A3; METHODS section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step
from ragtrial.documents.title import below_title, document_title, title_heading

__all__ = ["Breadcrumb"]


@dataclass(frozen=True)
class Breadcrumb(Step):
    """Put ``[Title › Section › ...]`` and a blank line before each chunk.

    Parameters
    ----------
    depth : int, optional
        How many titles of the section path are shown, the outermost first; None: all.
    title : bool
        Whether the document's title comes first. It is ``title`` of the document's metadata, else
        its first heading if no other is of level 1, else its id; such a heading is never
        shown as a section too.
    count_title : bool
        Whether the document's title takes one of the ``depth`` places.
    separator : str
        What stands between the titles.

    A chunk with nothing to show gets no prefix.
    """

    spec_name: ClassVar[str] = "breadcrumb"

    depth: Annotated[int, Field(ge=1)] | None = None
    title: bool = True
    count_title: bool = False
    separator: str = " › "

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their breadcrumb in front of whatever prefix they have."""
        return self._put(chunks, self.trails(chunks))

    def trails(self, chunks: ChunkSet) -> list[tuple[str, ...]]:
        """Return for each chunk the titles that its breadcrumb shows."""
        own: tuple[str, ...] = ()
        heading: str | None = None
        depth = self.depth
        if depth is not None and self.title and self.count_title:
            depth -= 1
        trails: list[tuple[str, ...]] = []
        last = -1
        for number, path in zip(chunks.document.tolist(), chunks.paths, strict=True):
            if number != last:
                document = chunks.documents[number]
                own = (document_title(document),) if self.title else ()
                heading = title_heading(document)
                last = number
            trails.append((*own, *below_title(path, heading)[:depth]))
        return trails

    def _put(self, chunks: ChunkSet, trails: list[tuple[str, ...]]) -> ChunkSet:
        shown = (f"[{self.separator.join(trail)}]\n\n" if trail else "" for trail in trails)
        return chunks.with_prefixes(
            [breadcrumb + prefix for breadcrumb, prefix in zip(shown, chunks.prefixes, strict=True)]
        )
