"""One question as people look at it: its evidence, and what each condition retrieved and found, read from a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ragtrial.errors import RecordError, did_you_mean
from ragtrial.report.words import shortened
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Outcome", "Piece", "QuestionView", "Ranked", "Views"]

SNIPPET = 140
"""How many characters of a chunk are shown in a list."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence; ``spans`` is empty where it was not located."""

    text: str
    document: str | None
    spans: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One retrieved chunk; ``holds`` are the numbers of the pieces that share characters with it."""

    rank: int
    document: str
    chunk: int
    spans: tuple[Range, ...]
    holds: tuple[int, ...]
    snippet: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one condition made of the question.

    ``found`` has an entry a piece: None where the kept part of the ranking cannot tell.
    """

    arm: str
    retriever: str
    value: float
    found: tuple[bool | None, ...]
    top: tuple[Ranked, ...]


@dataclass(frozen=True)
class QuestionView:
    """A question with its evidence and outcomes, in the order of the trial; ``number`` counts from 0."""

    number: int
    id: str
    text: str
    type: str | None
    home: str | None
    pieces: tuple[Piece, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def low(self) -> float:
        """The lowest score of any condition."""
        return min(outcome.value for outcome in self.outcomes)

    @property
    def high(self) -> float:
        """The highest score of any condition."""
        return max(outcome.value for outcome in self.outcomes)

    @property
    def spread(self) -> float:
        """How far conditions disagree: the highest score less the lowest."""
        return self.high - self.low

    @property
    def complete(self) -> int:
        """How many conditions found every piece."""
        return sum(bool(outcome.found) and all(outcome.found) for outcome in self.outcomes)


class Views:
    """The questions of a record; ``top`` chunks of each ranking are shown."""

    def __init__(self, record: Record, top: int = 3) -> None:
        self._record = record
        self._top = top

    def __iter__(self) -> Iterator[QuestionView]:
        rows = self._questions.values()
        return (self._view(number, row) for number, row in enumerate(rows))

    def __len__(self) -> int:
        return len(self._questions)

    def of(self, question: str) -> QuestionView:
        """Return the question of an id; an unknown one raises `RecordError`."""
        if question not in self._questions:
            hint = did_you_mean(question, list(self._questions))
            raise RecordError(f"{self._record.folder} has no question {question!r}. {hint}")
        return self._view(list(self._questions).index(question), self._questions[question])

    @cached_property
    def _questions(self) -> dict[str, Mapping[str, Any]]:
        return {row["question"]: row for row in self._record.questions.to_dicts()}

    @cached_property
    def _texts(self) -> dict[str, str | None]:
        return dict(self._record.documents.select("document", "text").iter_rows())

    @cached_property
    def _values(self) -> dict[str, list[tuple[str, str, float]]]:
        import polars as pl

        primary = self._record.header["effective"]["primary"]
        table = self._record.scores.filter(pl.col("measure") == primary)
        return _grouped(table.select("question", "arm", "retriever", "value"))

    @cached_property
    def _found(self) -> dict[str, list[tuple[str, str, bool | None]]]:
        return _grouped(self._record.found.select("question", "arm", "retriever", "found"))

    @cached_property
    def _ranked(self) -> dict[str, list[Any]]:
        import polars as pl

        top = self._record.rankings.filter(pl.col("rank") <= self._top)
        joined = top.join(
            self._record.chunks.select("arm", "document", "chunk", "starts", "ends"),
            on=["arm", "document", "chunk"],
            how="left",
            maintain_order="left",
        )
        return _grouped(joined.select("question", "arm", "retriever", "rank", "document", "chunk", "starts", "ends"))

    def _view(self, number: int, row: Mapping[str, Any]) -> QuestionView:
        question = row["question"]
        pieces = tuple(
            Piece(item["text"], item["document"], tuple(zip(item["starts"], item["ends"], strict=True)))
            for item in row["evidence"]
        )
        found: dict[tuple[str, str], list[bool | None]] = {}
        for arm, retriever, one in self._found.get(question, ()):
            found.setdefault((arm, retriever), []).append(one)
        top: dict[tuple[str, str], list[Ranked]] = {}
        for arm, retriever, *ranked in self._ranked.get(question, ()):
            top.setdefault((arm, retriever), []).append(self._chunk(ranked, pieces))
        outcomes = tuple(
            Outcome(arm, retriever, value, tuple(found.get((arm, retriever), ())), tuple(top.get((arm, retriever), ())))
            for arm, retriever, value in self._values[question]
        )
        home = row["document"] or next((piece.document for piece in pieces if piece.document), None)
        return QuestionView(number, question, row["text"], row["type"], home, pieces, outcomes)

    def _chunk(self, ranked: Sequence[Any], pieces: Sequence[Piece]) -> Ranked:
        rank, document, chunk, starts, ends = ranked
        spans: tuple[Range, ...] = tuple(zip(starts, ends, strict=True))
        holds = tuple(
            number
            for number, piece in enumerate(pieces)
            if piece.document == document and any(a < end and start < b for a, b in piece.spans for start, end in spans)
        )
        text = self._texts.get(document)
        # A little more than is shown, since blanks are folded.
        snippet = (
            "" if text is None or not spans else shortened(text[spans[0][0] : spans[0][1]][: 3 * SNIPPET], SNIPPET)
        )
        return Ranked(rank, document, chunk, spans, holds, snippet)


def _grouped(table: pl.DataFrame) -> dict[str, list[Any]]:
    """Return the other columns' rows by the first column, in their order."""
    groups: dict[str, list[Any]] = {}
    for question, *rest in table.iter_rows():
        groups.setdefault(question, []).append(rest)
    return groups
