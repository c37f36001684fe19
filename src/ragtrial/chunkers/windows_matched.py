"""Windows as long as a document's own structural chunks: the control that leaves only boundaries to differ (KMR's A0).

Source: METHODS section 2, ``windows-matched``; KMR section 3.2, size matching.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.sections import Sections
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.text.counting import Tokenised, TokenizerName, tokenise
from ragtrial.text.sentences import sentence_ends

__all__ = ["MatchedLength", "WindowsMatched", "matched_lengths"]


@dataclass(frozen=True)
class WindowsMatched(Chunker):
    """Windows that tile a document, of the mean token length of its chunks under another chunker.

    Parameters
    ----------
    of : chunker
        Whose chunks are matched, document by document.
    snap : int
        An edge moves to the nearest sentence end (tie: the earlier) at most so many tokens away;
        where there is none it stays between two tokens. Never as far as half a window.
    tokenizer : {"cl100k", "minilm"}
        Whose tokens; see `ragtrial.text.counting`.

    Edges are snapped from the multiples of the window, not from the edge before, so that they
    do not drift. As many windows are cut as come nearest to the target; for chunks that
    tile, that is as many windows as chunks, and the means are equal.
    """

    spec_name: ClassVar[str] = "windows_matched"

    of: Chunker = field(default_factory=Sections)
    snap: Annotated[int, Field(ge=0)] = 15
    tokenizer: TokenizerName = "cl100k"

    def fit(self, documents: Iterable[Document]) -> Chunker:
        """Return the chunker with the matched one fitted to the corpus."""
        return replace(self, of=self.of.fit(documents))

    @property
    def asks_model(self) -> bool:
        """Whether the matched chunker asks a language model."""
        return self.of.asks_model

    def prepare(self, documents: Sequence[Document]) -> None:
        """Prepare the matched chunker."""
        self.of.prepare(documents)

    def report(self, documents: Sequence[Document]) -> Mapping[str, Any] | None:
        """Return what the matched chunker counted."""
        return self.of.report(documents)

    def split(self, document: Document) -> list[Piece]:
        """Return the windows of one document."""
        if not document.text or document.text.isspace():
            return []
        tokens = tokenise(document.text, self.tokenizer)
        windows = max(round(len(tokens) / self.target(document)), 1) if len(tokens) else 1
        edges = sorted({0, *_edges(document.text, tokens, windows, self.snap), len(document.text)})
        return [Piece((Span(start, end),), document.path_at(start)) for start, end in pairwise(edges)]

    def target(self, document: Document) -> float:
        """Return the window for a document, in tokens: the mean length of its chunks under ``of``, at least 1."""
        pieces = self.of.split(document)
        tokens = tokenise(document.text, self.tokenizer)
        total = sum(tokens.count(*span) for piece in pieces for span in piece.spans)
        return max(total / len(pieces), 1.0) if pieces else max(float(len(tokens)), 1.0)


class MatchedLength(NamedTuple):
    """How near a document's windows come to their target; lengths are means in tokens."""

    document: str
    windows: int
    target: float
    realised: float


def matched_lengths(chunker: WindowsMatched, documents: Iterable[Document]) -> list[MatchedLength]:
    """Return, for each document that has text, the mean length aimed at and the one of its windows.

    ``chunker`` is taken as it is: fit it first if the chunker that it matches needs the corpus.
    """
    lengths: list[MatchedLength] = []
    for document in documents:
        windows = len(chunker.split(document))
        if windows:
            total = len(tokenise(document.text, chunker.tokenizer))
            lengths.append(MatchedLength(document.id, windows, chunker.target(document), total / windows))
    return lengths


def _edges(text: str, tokens: Tokenised, windows: int, snap: int) -> list[int]:
    """Return the offsets between windows."""
    ends = sentence_ends(text)
    places = tokens.before(ends).tolist()
    # Two edges that each move less than half a window cannot meet.
    reach = min(snap, (len(tokens) // windows - 1) // 2)
    edges: list[int] = []
    for number in range(1, windows):
        ideal = round(len(tokens) * number / windows)
        after = bisect_left(places, ideal)
        # The end nearest to the edge is the last one before it or the first one after it; a tie takes the earlier.
        if after and ideal - places[after - 1] <= places[after] - ideal:
            after -= 1
        snapped = abs(places[after] - ideal) <= reach
        edges.append(ends[after] if snapped else int(tokens.starts[ideal]))
    return edges
