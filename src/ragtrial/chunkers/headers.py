"""Header-led chunks: a heading starts a chunk, and a section's blocks are packed up to a size.

Source: METHODS section 2.1; MDK section 3 and appendix N.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ragtrial.chunkers.base import Chunker, Dialect
from ragtrial.chunkers.chunkset import Piece, normalise_line_ends
from ragtrial.chunkers.grouping import Item, group_items, join_small
from ragtrial.chunkers.oversize import Limits, split_block
from ragtrial.documents.markdown import scan
from ragtrial.documents.model import Block, Document, Kind, Span
from ragtrial.text import tokens

__all__ = ["Headers"]

_BLANK_LINE = "\n\n"

Level = Annotated[int, Field(ge=1, le=6)]

_CLOSES_WHEN_FULL = frozenset({Kind.CODE, Kind.TABLE, Kind.FRONT_MATTER, Kind.QUOTE})


@dataclass(frozen=True)
class Headers(Chunker):
    """Chunks that start at headings, packed from whole blocks.

    Parameters
    ----------
    max, min : int
        Largest size of a chunk, and the size under which it joins a neighbour (0: never), in ``unit``.
    unit : {"characters", "tokens"}
        Tokens are cl100k_base tokens.
    levels : tuple of int
        The heading levels that start a chunk.
    oversize : {"keep", "split"}
        Whether a block longer than ``max`` stays whole, or is cut at sentence ends, rows and lines.
    dialect : {"commonmark", "study"} or None
        How Markdown is read; None: as the documents were read, which is "commonmark" unless
        a data set's protocol says otherwise.

    In the ``commonmark`` dialect a chunk is one exact slice, chunks tile the document, a size is the
    length of the slice, and joining never makes a chunk longer than ``max``. In the ``study`` dialect
    a chunk is its blocks re-joined by a blank line, sizes are sums of block lengths, and two
    chunks join up to ``2 * max``, as in MDK appendix N.1.
    """

    spec_name: ClassVar[str] = "headers"
    positional: ClassVar[int] = 1

    max: Annotated[int, Field(ge=1)] = 1500
    min: Annotated[int, Field(ge=0)] = 100
    unit: Literal["characters", "tokens"] = "characters"
    levels: tuple[Level, ...] = (1, 2, 3, 4, 5, 6)
    oversize: Literal["keep", "split"] = "keep"
    dialect: Dialect | None = None

    @property
    def joiner(self) -> str | None:  # type: ignore[override]  # it depends on the dialect here
        """What stands between the blocks of a chunk."""
        return _BLANK_LINE if self.dialect == "study" else None

    def fit(self, documents: Iterable[Document]) -> Chunker:
        """Return the chunker with its dialect settled by the first document that has one."""
        if self.dialect is not None:
            return self
        read_in = next((document.dialect for document in documents if document.dialect), "commonmark")
        return replace(self, dialect="study" if read_in == "study" else "commonmark")

    def split(self, document: Document) -> list[Piece]:
        """Return the header-led chunks of one document."""
        if self.dialect == "study":
            groups = group_items(self._items(document), self.max, len(_BLANK_LINE))
            groups = join_small(groups, self.min, cap=2 * self.max, separator=len(_BLANK_LINE))
            return [Piece(tuple(Span(item.start, item.end) for item in g.items), g.path, g.prefix) for g in groups]
        groups = join_small(group_items(self._items(document), self.max, 0), self.min, cap=self.max, separator=0)
        return [Piece((Span(g.items[0].start, g.items[-1].end),), g.path, g.prefix) for g in groups]

    def _items(self, document: Document) -> list[Item]:
        text = document.text
        items: list[Item] = []
        stack: list[tuple[int, str]] = []
        path: tuple[str, ...] = ()
        pending = 0
        for block, (start, end) in self._ranges(document):
            size = self._measure(text[start:end])
            if block.kind is Kind.HEADING:
                while stack and stack[-1][0] >= block.level:
                    stack.pop()
                stack.append((block.level, block.title))
                path = tuple(title for _, title in stack)
                items.append(Item(start, end, size, path, is_heading=True, cuts=block.level in self.levels))
                pending += size
                continue
            closes = block.kind in _CLOSES_WHEN_FULL
            # The first part leaves room for the headings that travel with it.
            first = self.max - pending if pending < self.max else self.max
            if size > first and self.oversize == "split":
                parts = split_block(text, block, Span(start, end), Limits(first, self.max), self._measure)
                sizes = [self._measure(text[part.start : part.end]) for part in parts]
                items += [Item(*part[:2], n, path, prefix=part.prefix) for part, n in zip(parts, sizes, strict=True)]
            else:
                items.append(Item(start, end, size, path, closes=closes))
            pending = 0
        return items

    def _ranges(self, document: Document) -> list[tuple[Block, tuple[int, int]]]:
        """Return each block with the range it takes in a chunk: its own, or up to the next block where chunks tile."""
        dialect = self.dialect or "commonmark"
        blocks = document.blocks if document.dialect in (None, dialect) else scan(document.text, dialect)
        if dialect == "study":
            return [(block, (block.start, block.end)) for block in blocks]
        edges = [0, *(block.start for block in blocks[1:]), len(document.text)]
        return list(zip(blocks, pairwise(edges), strict=True)) if blocks else []

    def _measure(self, text: str) -> int:
        normal = normalise_line_ends(text) if self.dialect == "study" else text
        return len(normal) if self.unit == "characters" else tokens.count(normal)
