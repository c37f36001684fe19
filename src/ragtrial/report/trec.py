"""Runs and judgements in the files of TREC, so that outside tools can check every number (METHODS section 5.2).

Programs for these files hold a score as a 32-bit float, order equal scores by name instead of by rank, split lines at
blanks, and score only questions that are in the run and in the judgements. Therefore:

- Ranks decide. Scores are written as 32-bit floats; one that is not lower than the score above it becomes the next
  lower float. Floats nearer to zero than `TINY` count as zero, the next lower of which is -`TINY`.
- Ids are percent-encoded: blanks, control characters, ``#``, ``%`` and all that is not ASCII.
- A question without a ranked or a relevant chunk has one line with the chunk `NO_CHUNK`, which no id is written as.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError
from ragtrial.trial.record import write_whole

__all__ = [
    "NO_CHUNK",
    "TINY",
    "Judged",
    "Ranked",
    "escape_id",
    "falling_scores",
    "unescape_id",
    "write_qrels",
    "write_run",
]

NO_CHUNK: Final = "%none"
TINY: Final = 2.0**-100

_LITERAL: Final = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_SIGN: Final = 1 << 31
_TINY_BITS: Final = int(np.float32(TINY).view(np.int32))


class Ranked(NamedTuple):
    """One question of a run: its id, and the ids and scores of its chunks, best first."""

    question: str
    chunks: Sequence[str]
    scores: Sequence[float] | npt.NDArray[np.float64]


class Judged(NamedTuple):
    """One question of the judgements: its id, and the ids of its relevant chunks."""

    question: str
    relevant: Sequence[str]


Row = TypeVar("Row", Ranked, Judged)


def write_run(path: Path, rows: Iterable[Ranked], tag: str = "ragtrial") -> None:
    """Write a run, whole or not at all: a line ``question Q0 chunk rank score tag`` for each ranked chunk.

    Parameters
    ----------
    path : Path
    rows : iterable of Ranked
        Every question once, also one without chunks.
    tag : str
        The name of the run, such as its condition's.

    Raises
    ------
    DataError
        A question or a chunk of a question is there twice, an id is empty, a score is not a finite 32-bit number, or
        the file cannot be written.
    """
    name = escape_id(tag)
    lines: list[str] = []
    for question, (_, chunks, scores) in _each_once(rows):
        if len(chunks) != len(scores):
            raise DataError(f"The question {question} has {len(chunks)} ranked chunks but {len(scores)} scores.")
        names = _names(question, chunks) or [NO_CHUNK]
        values = falling_scores(scores if len(scores) else [0.0])
        ranked = zip(names, map(str, values), strict=True)
        lines += [f"{question} Q0 {chunk} {rank} {score} {name}\n" for rank, (chunk, score) in enumerate(ranked, 1)]
    write_whole(path, "".join(lines).encode("ascii"))


def write_qrels(path: Path, rows: Iterable[Judged]) -> None:
    """Write judgements, whole or not at all: a line ``question 0 chunk 1`` for each relevant chunk.

    Parameters
    ----------
    path : Path
    rows : iterable of Judged
        Every question once, also one without relevant chunks, which has the one line ``question 0 %none 0``.

    Raises
    ------
    DataError
        A question or a chunk of a question is there twice, an id is empty, or the file cannot be written.
    """
    lines: list[str] = []
    for question, (_, relevant) in _each_once(rows):
        judged = [f"{question} 0 {chunk} 1\n" for chunk in _names(question, relevant)]
        lines += judged or [f"{question} 0 {NO_CHUNK} 0\n"]
    write_whole(path, "".join(lines).encode("ascii"))


def escape_id(id: str) -> str:  # noqa: A002  # the files' own word
    """Return an id as it is written: printable ASCII without blanks and ``#``. An empty one raises `DataError`."""
    if not id:
        raise DataError("An empty id cannot be written to a TREC file.", hint="Give every question and document an id.")
    return quote(id, safe=_LITERAL, errors="surrogatepass")


def unescape_id(written: str) -> str:
    """Return the id that `escape_id` wrote."""
    return unquote(written, errors="surrogatepass")


def falling_scores(scores: Sequence[float] | npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return scores that fall strictly, as 32-bit floats: each the highest that is below the one before it.

    Parameters
    ----------
    scores : float64 array
        In the order of the ranks, which need not be theirs: below a reranker's depth they start anew.

    Returns
    -------
    float32 array
        The scores themselves, rounded, where they fall.

    Raises
    ------
    DataError
        A score is not a number, or infinite as a 32-bit float.
    """
    with np.errstate(over="ignore"):
        single = np.asarray(scores, dtype=np.float64).astype(np.float32)
    # As whole numbers, floats are in order and each is one above the next lower: steps become subtractions.
    bits = single.view(np.int32).astype(np.int64)
    magnitude = np.maximum(np.where(bits < 0, bits + _SIGN, bits) - (_TINY_BITS - 1), 0)
    steps = np.where(bits < 0, -magnitude, magnitude)
    rank = np.arange(len(steps))
    falling = np.minimum.accumulate(steps + rank) - rank
    lowered = np.where(falling == 0, 0, np.abs(falling) + (_TINY_BITS - 1)).astype(np.int32).view(np.float32)
    if not (np.isfinite(single).all() and np.isfinite(lowered).all()):
        raise DataError("A TREC run needs finite scores.", hint="Every score must fit a 32-bit float.")
    return np.where(falling < 0, -lowered, lowered)


def _each_once(rows: Iterable[Row]) -> Iterator[tuple[str, Row]]:
    seen: set[str] = set()
    for row in rows:
        question = escape_id(row.question)
        if question in seen:
            raise DataError(f"The question {question} is there twice.", hint="A file holds one condition.")
        seen.add(question)
        yield question, row


def _names(question: str, chunks: Sequence[str]) -> list[str]:
    names = [escape_id(chunk) for chunk in chunks]
    if len(set(names)) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise DataError(f"The question {question} has the chunk {twice} twice.")
    return names
