"""Header-led chunks: a heading starts a chunk, and a section's blocks are packed up to a size.

Source: METHODS section 2.1; MDK section 3 and appendix N.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from operator import sub
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ragtrial.chunkers.base import Chunker, Dialect
from ragtrial.chunkers.chunkset import Piece, normalise_line_ends
from ragtrial.chunkers.grouping import BODY, CLOSES, CUTS, HEADING, Items, group_items, join_small
from ragtrial.chunkers.oversize import Limits, split_block
from ragtrial.documents.markdown import read_markdown, scan
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Span
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
        starts, ends = self._ranges(document, blocks)
        if self._counts_characters(text):
            sizes = list(map(sub, ends, starts))
        else:
            sizes = [self._measure(text[start:end]) for start, end in zip(starts, ends, strict=True)]
        headings = [number for number, block in enumerate(blocks) if block[0] is _HEADING]
        roles = [_ROLE_OF[block[0]] for block in blocks]
        for number in headings:
            roles[number] = CUTS if blocks[number].level in self.levels else HEADING
        items = Items(starts, ends, sizes, _paths(blocks, headings), roles)
        return items if self.oversize == "keep" else self._cut_oversize(items, text, blocks)

    def _cut_oversize(self, items: Items, text: str, blocks: Sequence[Block]) -> Items:
        """Return the items with those cut that do not fit in a chunk behind the headings that travel with them."""
        cut = Items([], [], [], [], [])
        pending = 0
        for block, start, end, size, path, role in zip(blocks, *items.columns(), strict=True):
            if role >= CUTS:
                cut.add(start, end, size, path, role)
                pending += size
                continue
            room = self.max - pending if pending < self.max else self.max
            pending = 0
            if size <= room:
                cut.add(start, end, size, path, role)
                continue
            for part in split_block(text, block, Span(start, end), Limits(room, self.max), self._measure):
                if part.prefix:
                    cut.prefixes[len(cut.starts)] = part.prefix
                cut.add(part.start, part.end, self._measure(text[part.start : part.end]), path, BODY)
        return cut

    def _blocks(self, document: Document) -> Sequence[Block]:
        dialect = self.dialect or "commonmark"
        return document.blocks if document.dialect in (None, dialect) else scan(document.text, dialect)

    def _ranges(self, document: Document, blocks: Sequence[Block]) -> tuple[list[int], list[int]]:
        """Return where each block starts and ends in a chunk: its own range, or up to the next where chunks tile.

        There the first block also takes what blanks come before it.
        """
        starts = [block[1] for block in blocks]
        if self.dialect == "study" or not starts:
            return starts, [block[2] for block in blocks]
        starts[0] = 0
        return starts, [*starts[1:], len(document.text)]

    def _counts_characters(self, text: str) -> bool:
        """Tell whether the size of a range is its length: characters, none of which the study normalises away."""
        return self.unit == "characters" and (self.dialect != "study" or "\r" not in text)

    def _measure(self, text: str) -> int:
        normal = normalise_line_ends(text) if self.dialect == "study" else text
        return len(normal) if self.unit == "characters" else tokens.count(normal)


def _paths(blocks: Sequence[Block], headings: Sequence[int]) -> list[tuple[str, ...]]:
    """Return the section path of each block; a heading's own includes it. ``headings`` are the numbers of headings."""
    paths: list[tuple[str, ...]] = [()] * (headings[0] if headings else len(blocks))
    stack: list[tuple[int, str]] = []
    for number, following in pairwise([*headings, len(blocks)]):
        _, _, _, level, title = blocks[number]
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, title))
        paths += [tuple([title for _, title in stack])] * (following - number)
    return paths


@cache
def _settled(chunker: Headers, dialect: Dialect) -> Headers:
    # Building one checks every parameter: too slow to do for each of many short texts.
    return replace(chunker, dialect=dialect)
