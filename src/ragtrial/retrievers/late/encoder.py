"""Documents to chunk vectors: tokens read in their context, then pooled chunk by chunk (Günther et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity
from ragtrial.embedders.batches import without_surrogates
from ragtrial.embedders.graph import Graph
from ragtrial.errors import DataError, UsageError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["LateEncoder", "Spans"]

Spans: TypeAlias = Sequence[tuple[int, int]]
"""The half-open character ranges of one chunk."""

_PER_TOKEN: Final = 3
"""Dimensions of an output that has a vector for every token."""


class _Frame(NamedTuple):
    """The tokens before and after those of a document in every window."""

    before: list[int]
    after: list[int]


class LateEncoder:
    """The vectors of a document's chunks, each the mean of its tokens' vectors.

    The document's tokens go through the model in non-overlapping windows, each framed as the tokenizer frames a text of
    its own and headed by the model's document prefix; neither is pooled. A token belongs to the chunk that holds its
    last character, so that chunks which tile a document share out its tokens.
    """

    def __init__(self, graph: Graph, *, window: int, prefix: str = "") -> None:
        """``window``: tokens in one run of the model, frame and prefix included."""
        self._graph = graph
        self._window = window
        self._prefix = prefix

    def identity(self) -> Identity:
        """Return everything that the vectors depend on beside the document and the spans; loads no model."""
        return {"role": "late chunking", "window": self._window, "document_prefix": self._prefix} | dict(
            self._graph.identity()
        )

    def means(self, document: str, chunks: Sequence[Spans]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the mean token vector of each chunk, shape (chunks, dimension), and its number of tokens.

        A chunk without any token (blanks only) has a mean of zeros.
        """
        encoding = self._tokenizer.encode(without_surrogates(document), add_special_tokens=False)
        offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        real = offsets[:, 0] < offsets[:, 1]
        # Tokens without a character may stand at 0; the ends of all others never fall, so a span's are neighbours.
        ends = np.maximum.accumulate(offsets[:, 1])
        ranges = [np.searchsorted(ends, np.array(spans, dtype=np.int64).ravel(), "right") for spans in chunks]
        sums: npt.NDArray[np.float64] | None = None
        counts = np.zeros(len(chunks), dtype=np.int64)
        for start, vectors in self._windows(encoding.ids):
            if sums is None:
                sums = np.zeros((len(chunks), vectors.shape[1]))
            stop = start + len(vectors)
            for chunk, edges in enumerate(ranges):
                for first, last in edges.clip(start, stop).reshape(-1, 2).tolist():
                    tokens = real[first:last]
                    sums[chunk] += vectors[first - start : last - start][tokens].sum(axis=0, dtype=np.float64)
                    counts[chunk] += int(tokens.sum())
        if sums is None:
            sums = np.zeros((len(chunks), 1))
        return sums / np.maximum(counts, 1)[:, np.newaxis], counts

    def _windows(self, ids: list[int]) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
        """Yield the first token's number and the token vectors of each window."""
        before, after = self._frame
        room = self._window - len(before) - len(after)
        if room < 1:
            raise UsageError(
                f"A window of {self._window} tokens leaves no room: {len(before) + len(after)} of them frame it.",
                hint="Give late a larger window.",
            )
        for start in range(0, len(ids), room):
            part = ids[start : start + room]
            row = np.array([[*before, *part, *after]], dtype=np.int64)
            # One window at a time: no other text can have a part in its vectors.
            vectors = self._graph.run(self._output, row, np.ones_like(row))[0]
            yield start, vectors[len(before) : len(before) + len(part)]

    @cached_property
    def _frame(self) -> _Frame:
        framed = self._tokenizer.encode("a", add_special_tokens=True)
        own = [number for number, special in enumerate(framed.special_tokens_mask) if not special]
        prefix: list[int] = self._tokenizer.encode(self._prefix, add_special_tokens=False).ids
        return _Frame([*framed.ids[: own[0]], *prefix], framed.ids[own[-1] + 1 :])

    @cached_property
    def _output(self) -> str:
        for name, rank in self._graph.outputs.items():
            if rank == _PER_TOKEN:
                return name
        raise DataError(
            f"{self._graph.name} gives no vectors of tokens: its outputs are {', '.join(self._graph.outputs)}.",
            hint="Export it for feature extraction, without pooling.",
        )

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return self._graph.tokenizer()
