"""The one result of every retriever: for each question, chunks with scores, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError, UsageError

__all__ = ["FloatArray", "IntArray", "Ranking", "offsets_of"]

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Ranked chunks of many questions in three arrays, question after question (a CSR layout).

    ``offsets``: int64, one more than there are questions, from 0 to the number of rows; question ``q`` owns the rows
    ``offsets[q]:offsets[q + 1]``, which may be none. ``chunks``: int64, the ranked chunks' numbers, best first.
    ``scores``: float64, the score of each. The arrays are read-only. Arrays that do not fit together, negative chunk
    numbers and scores that are not a number raise `DataError`.
    """

    offsets: IntArray
    chunks: IntArray
    scores: FloatArray

    def __post_init__(self) -> None:
        for name, kind in (("offsets", np.int64), ("chunks", np.int64), ("scores", np.float64)):
            column = np.asarray(getattr(self, name))
            if column.size and not np.can_cast(column.dtype, kind, "same_kind"):
                raise DataError(f"This is not a ranking: {name} cannot be of the type {column.dtype}.")
            column = column.astype(kind, copy=False).view()
            column.setflags(write=False)
            object.__setattr__(self, name, column)
        fault = self._fault()
        if fault is not None:
            raise DataError(f"This is not a ranking: {fault}.")

    @property
    def n_questions(self) -> int:
        """The number of questions, those without any ranked chunk included."""
        return len(self.offsets) - 1

    def of(self, question: int) -> tuple[IntArray, FloatArray]:
        """Return the chunks and the scores of one question, best first."""
        if not 0 <= question < self.n_questions:
            raise UsageError(f"The ranking has {self.n_questions} questions, counted from 0; there is no {question}.")
        rows = slice(self.offsets[question], self.offsets[question + 1])
        return self.chunks[rows], self.scores[rows]

    def top(self, k: int) -> Ranking:
        """Return the ranking cut after the first ``k`` chunks of every question."""
        if k < 0:
            raise UsageError(f"A ranking cannot be cut after {k} chunks.")
        lengths = np.diff(self.offsets)
        rank = np.arange(len(self.chunks)) - np.repeat(self.offsets[:-1], lengths)
        kept = rank < k
        return Ranking(offsets_of(np.minimum(lengths, k)), self.chunks[kept], self.scores[kept])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return (
            np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.chunks, other.chunks)
            and np.array_equal(self.scores, other.scores)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def _fault(self) -> str | None:
        offsets, chunks, scores = self.offsets, self.chunks, self.scores
        if not offsets.ndim == chunks.ndim == scores.ndim == 1:
            return "offsets, chunks and scores must have one dimension each"
        if len(chunks) != len(scores):
            return f"there are {len(chunks)} chunks but {len(scores)} scores"
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(chunks) or (np.diff(offsets) < 0).any():
            return f"offsets must rise from 0 to the number of chunks, {len(chunks)}"
        if (chunks < 0).any():
            return f"{chunks.min()} is no chunk number"
        if np.isnan(scores).any():
            return f"the score at row {int(np.isnan(scores).argmax())} is not a number"
        return None


def offsets_of(lengths: npt.ArrayLike) -> IntArray:
    """Return where runs of these lengths begin when they stand one after another, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64)
