"""One chunk a section: boundaries where the author, or an inducer, put them (KMR's A2 and G2).

Source: METHODS section 2, ``sections``; KMR section 3.2 for the two sizes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.even_split import split_evenly
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Section, Span
from ragtrial.documents.title import below_title, title_heading
from ragtrial.errors import SpecError
from ragtrial.text.counting import TokenizerName, tokenise

__all__ = ["Sections"]


@dataclass(frozen=True)
class Sections(Chunker):
    """One chunk for each section of a document's tree; chunks tile the document.

    Parameters
    ----------
    max : int
        A section of more tokens is cut at sentence ends, into the fewest parts that fit and as
        even as can be; a sentence longer than that is cut at line ends or spaces.
    min : int
        A chunk of fewer tokens joins a neighbour, which may then pass ``max`` by less than
        ``min`` tokens (0: never).
    tokenizer : {"cl100k", "minilm"}
        Whose tokens; see `ragtrial.text.counting`.
    merge : {"top-level", "neighbour"}
        Which neighbour a small chunk joins. "top-level": the following chunk of the same
        top-level section, else the preceding chunk if it has room, else the following one.
        "neighbour": the following chunk, else the preceding one if it has room.

    The heading that is the document's title is no top-level section; those below it are.
    A joined chunk has the path of its longest part (tie: the earlier).
    """

    spec_name: ClassVar[str] = "sections"

    max: Annotated[int, Field(ge=1)] = 350
    min: Annotated[int, Field(ge=0)] = 60
    tokenizer: TokenizerName = "cl100k"
    merge: Literal["top-level", "neighbour"] = "top-level"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min > self.max:
            raise SpecError(f"{self.spec_name}: min is {self.min}, which is over max, {self.max}.")

    def split(self, document: Document) -> list[Piece]:
        """Return the chunks of one document."""
        if not document.text or document.text.isspace():
            return []
        parts = list(self._parts(document))
        return [Piece((Span(part.start, part.end),), part.path) for part in self._joined(parts)]

    def _parts(self, document: Document) -> Iterator[_Part]:
        tokens = tokenise(document.text, self.tokenizer)
        before = tokens.before([0, *(section.end for section in document.sections)]).tolist()
        for section, top, (first, last) in zip(document.sections, _tops(document), pairwise(before), strict=True):
            whole = Span(section.start, section.end)
            if last - first > self.max:
                for span in split_evenly(document.text, whole, tokens, self.max):
                    yield _part(span, section, top, tokens.count(*span))
            elif whole.start < whole.end:
                yield _part(whole, section, top, last - first)

    def _joined(self, parts: list[_Part]) -> list[_Part]:
        waiting = deque(parts)
        done: list[_Part] = []
        while waiting:
            part = waiting.popleft()
            if part.size >= self.min:
                done.append(part)
            elif waiting and (self.merge == "neighbour" or waiting[0].top == part.top):
                waiting[0] = part.join(waiting[0])
            elif done and done[-1].size + part.size < self.max + self.min:
                done[-1] = done[-1].join(part)
            elif waiting:
                waiting[0] = part.join(waiting[0])
            else:
                done.append(part)
        return done


class _Part(NamedTuple):
    """A range on its way to a chunk: its tokens, its last part's top-level section, the longest part's path."""

    start: int
    end: int
    size: int
    top: int
    path: tuple[str, ...]
    longest: int

    def join(self, following: _Part) -> _Part:
        lead = following if following.longest > self.longest else self
        return _Part(self.start, following.end, self.size + following.size, following.top, lead.path, lead.longest)


def _part(span: Span, section: Section, top: int, size: int) -> _Part:
    return _Part(span.start, span.end, size, top, section.path, size)


def _tops(document: Document) -> Iterator[int]:
    """Yield for each section the number of its top-level section."""
    title = title_heading(document)
    number = 0
    last: tuple[str, ...] | None = None
    for section in document.sections:
        path = below_title(section.path, title)
        if len(path) <= 1 or path[:1] != last:
            number += 1
        last = path[:1]
        yield number
