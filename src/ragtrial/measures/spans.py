"""Chunks and evidence as ranges of characters of numbered documents (METHODS section 5.2).

Offsets are those of the content alone: text before or behind it has no characters here, only tokens that it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError
from ragtrial.measures.intervals import Intervals, merged, size

__all__ = ["Candidate", "GoldSpans", "SpanTable"]

IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GoldSpans:
    """The evidence of one question: the "gold spans" of the measures, which may each have several ranges.

    Parameters
    ----------
    documents : tuple of int, one for each piece of evidence
    spans : tuple of Intervals, one for each piece
        The piece's ranges, united.
    sizes : tuple of int
        The characters of each piece; none is 0.
    """

    documents: tuple[int, ...]
    spans: tuple[Intervals, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, documents: Sequence[int], spans: Sequence[Iterable[Sequence[int]]]) -> Self:
        """Prepare the evidence of one question.

        Parameters
        ----------
        documents : sequence of int
            The number of each piece's document.
        spans : sequence of iterables of (start, end)
            Each piece's half-open ranges of characters, all of which together are one gold span. Pieces that are alike
            or overlap are not united: each is found, or covered, on its own.

        Raises
        ------
        DataError
            There is no evidence, a piece of it has no characters, or documents and spans do not fit together.
        """
        united = tuple(merged(piece) for piece in spans)
        if not united:
            raise DataError("A question without evidence cannot be scored.", hint="Exclude it and count it.")
        if len(documents) != len(united):
            raise DataError(f"There are {len(united)} pieces of evidence but {len(documents)} numbers of documents.")
        sizes = tuple(map(size, united))
        if not all(sizes):
            raise DataError(
                f"The piece of evidence {sizes.index(0)} was not located: it has no characters.",
                hint="Measures of spans need every piece of evidence with its place in a document.",
            )
        return cls(tuple(map(int, documents)), united, sizes)


class Candidate(NamedTuple):
    """A chunk that shares characters with the evidence: its document, and the union of its spans."""

    document: int
    spans: Intervals


class SpanTable:
    """Chunks by number, as measures of spans need them.

    Parameters
    ----------
    documents : int64 array, shape (chunks,)
        The number of each chunk's document, in any order.
    offsets : int64 array, shape (chunks + 1,)
        Chunk ``i`` has the spans ``offsets[i]`` to ``offsets[i + 1]``.
    starts, ends : int64 arrays, shape (spans,)
        Half-open ranges of characters of the chunk's document, in the order of the chunk's text.
    prefix_tokens, suffix_tokens : int64 arrays, shape (chunks,)
        What the text before a chunk and behind it costs; 0 without any.
    token_bounds : callable, chunk number -> sequence of int, shape (tokens + 1,)
        Where each token of the chunk's text begins, in characters of its spans laid one after another, and then their
        number; see `ragtrial.measures.span_budget.token_bounds`. Called when a budget first needs the chunk; only the
        number of tokens is kept.

    Raises
    ------
    DataError
        Columns that do not fit together, or a span that ends before it starts.
    """

    def __init__(
        self,
        *,
        documents: IntArray,
        offsets: IntArray,
        starts: IntArray,
        ends: IntArray,
        prefix_tokens: IntArray,
        suffix_tokens: IntArray,
        token_bounds: Callable[[int], Sequence[int] | IntArray],
    ) -> None:
        if not len(documents) == len(offsets) - 1 == len(prefix_tokens) == len(suffix_tokens):
            raise DataError(
                f"{len(documents)} chunks cannot have {len(offsets)} offsets, and {len(prefix_tokens)} and "
                f"{len(suffix_tokens)} counts of tokens before and behind them."
            )
        if offsets[0] != 0 or (np.diff(offsets) < 0).any() or not offsets[-1] == len(starts) == len(ends):
            raise DataError(f"The offsets of chunks must rise from 0 to the number of their spans, {len(starts)}.")
        if (starts < 0).any() or (ends < starts).any():
            raise DataError("A chunk has a span that ends before it starts, or starts before its document.")
        self.prefix_tokens, self.suffix_tokens = prefix_tokens, suffix_tokens
        self.token_bounds = token_bounds
        self._documents, self._offsets, self._starts, self._ends = documents, offsets, starts, ends
        self._content_tokens = np.full(len(documents), -1, dtype=np.int64)
        # The spans of one document side by side, whatever the order of the chunks.
        self._chunk_of_span = np.repeat(np.arange(len(documents), dtype=np.int64), np.diff(offsets))
        document_of_span = documents[self._chunk_of_span]
        self._by_document = np.argsort(document_of_span, kind="stable")
        self._sorted_documents = document_of_span[self._by_document]

    def __len__(self) -> int:
        return len(self._documents)

    def spans(self, number: int) -> list[tuple[int, int]]:
        """Return the spans of a chunk, in the order of its text."""
        rows = slice(self._offsets[number], self._offsets[number + 1])
        return list(zip(self._starts[rows].tolist(), self._ends[rows].tolist(), strict=True))

    def document(self, number: int) -> int:
        """Return the number of a chunk's document."""
        return int(self._documents[number])

    def tokens(self, number: int) -> int:
        """Return what a chunk costs: the tokens of its content and of what stands before it and behind it."""
        if self._content_tokens[number] < 0:
            self._content_tokens[number] = len(self.token_bounds(number)) - 1
        return int(self.prefix_tokens[number] + self._content_tokens[number] + self.suffix_tokens[number])

    def candidates(self, gold: GoldSpans) -> dict[int, Candidate]:
        """Return the chunks that share characters with the evidence, by ascending number: only they can score."""
        found: dict[int, Candidate] = {}
        for document in dict.fromkeys(gold.documents):
            first, last = np.searchsorted(self._sorted_documents, [document, document + 1])
            rows = self._by_document[first:last]
            starts, ends = self._starts[rows], self._ends[rows]
            touched = np.zeros(len(rows), dtype=bool)
            pieces = (piece for own, piece in zip(gold.documents, gold.spans, strict=True) if own == document)
            for start, end in merged(span for piece in pieces for span in piece):
                touched |= (starts < end) & (ends > start) & (starts < ends)
            for number in np.unique(self._chunk_of_span[rows[touched]]).tolist():
                found[number] = Candidate(document, merged(self.spans(number)))
        return dict(sorted(found.items()))
