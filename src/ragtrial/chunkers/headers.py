"""Header-led chunks: a heading starts a chunk, and a section's blocks are packed up to a size.

Source: METHODS section 2.1; MDK section 3 and appendix N.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ragtrial.chunkers.base import Chunker, Dialect
from ragtrial.chunkers.chunkset import Piece, normalise_line_ends
from ragtrial.chunkers.grouping import BODY, CLOSES, CUTS, HEADING, Items, group_items, join_small
from ragtrial.chunkers.oversize import Limits, Part, split_block
from ragtrial.documents.markdown import read_markdown, scan
from ragtrial.documents.model import Block, Document, Kind, Span
from ragtrial.text import tokens

__all__ = ["Headers"]

_BLANK_LINE = "\n\n"

Level = Annotated[int, Field(ge=1, le=6)]

_CLOSES_WHEN_FULL = frozenset({Kind.CODE, Kind.TABLE, Kind.FRONT_MATTER, Kind.QUOTE})
_ROLE_OF = tuple(CLOSES if kind in _CLOSES_WHEN_FULL else BODY for kind in Kind)
_HEADING = Kind.HEADING


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
        return _settled(self, "study" if read_in == "study" else "commonmark")

    def read(self, text: str) -> Document:
        """Read a text as Markdown in this chunker's dialect."""
        return read_markdown(text, dialect=self.dialect or "commonmark")

    def split(self, document: Document) -> list[Piece]:
        """Return the header-led chunks of one document."""
        items = self._items(document)
        separator, cap = (len(_BLANK_LINE), 2 * self.max) if self.dialect == "study" else (0, self.max)
        runs = join_small(group_items(items, self.max, separator), self.min, cap=cap, separator=separator)
        starts, ends, prefix_of = items.starts, items.ends, items.prefixes.get
        if self.dialect == "study":
            spans = list(map(Span, starts, ends))
            return [Piece(tuple(spans[run.first : run.last]), run.path, prefix_of(run.first, "")) for run in runs]
        make = tuple.__new__  # the constructor of a named tuple would take twice the time
        return [
            make(Piece, ((make(Span, (starts[first], ends[last - 1])),), path, prefix_of(first, "")))
            for first, last, _, path in runs
        ]

    def _items(self, document: Document) -> Items:
        text, blocks = document.text, self._blocks(document)
        items = Items()
        add, levels, split = items.add, self.levels, self.oversize == "split"
        stack: list[tuple[int, str]] = []
        path: tuple[str, ...] = ()
        pending = 0
        plain = self._counts_characters(text)
        for (kind, start, _, level, title), end in zip(*self._ranges(document, blocks), strict=True):
            size = end - start if plain else self._measure(text[start:end])
            if kind is _HEADING:
                while stack and stack[-1][0] >= level:
                    stack.pop()
                stack.append((level, title))
                path = tuple([title for _, title in stack])
                add(start, end, size, path, CUTS if level in levels else HEADING)
                pending += size
            elif split and size > (room := self._room(pending)):
                span = Span(start, end)
                parts = split_block(text, Block(kind, start, end), span, Limits(room, self.max), self._measure)
                self._add_parts(items, text, parts, path)
                pending = 0
            else:
                add(start, end, size, path, _ROLE_OF[kind])
                pending = 0
        return items

    def _room(self, pending: int) -> int:
        """Return what the headings that travel with a block leave of the maximum."""
        return self.max - pending if pending < self.max else self.max

    def _add_parts(self, items: Items, text: str, parts: Iterable[Part], path: tuple[str, ...]) -> None:
        for start, end, prefix in parts:
            if prefix:
                items.prefixes[len(items.starts)] = prefix
            items.add(start, end, self._measure(text[start:end]), path, BODY)

    def _blocks(self, document: Document) -> Sequence[Block]:
        dialect = self.dialect or "commonmark"
        return document.blocks if document.dialect in (None, dialect) else scan(document.text, dialect)

    def _ranges(self, document: Document, blocks: Sequence[Block]) -> tuple[Sequence[Block], list[int]]:
        """Return the blocks and where each ends in a chunk: at its own end, or where the next one starts.

        Where chunks tile, the first block also takes what blanks come before it.
        """
        if self.dialect == "study" or not blocks:
            return blocks, [block.end for block in blocks]
        first = blocks[0]._replace(start=0)
        return [first, *blocks[1:]], [*[block.start for block in blocks[1:]], len(document.text)]

    def _counts_characters(self, text: str) -> bool:
        """Tell whether the size of a range is its length: characters, none of which the study normalises away."""
        return self.unit == "characters" and (self.dialect != "study" or "\r" not in text)

    def _measure(self, text: str) -> int:
        normal = normalise_line_ends(text) if self.dialect == "study" else text
        return len(normal) if self.unit == "characters" else tokens.count(normal)


@cache
def _settled(chunker: Headers, dialect: Dialect) -> Headers:
    # Building one checks every parameter: too slow to do for each of many short texts.
    return replace(chunker, dialect=dialect)
