"""From the rankings of a run to what the reader gets: for each condition and question the pieces within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.errors import UsageError
from ragtrial.questions.model import Question
from ragtrial.trial.answers.pieces import fill_pieces
from ragtrial.trial.cells import Cell

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_pieces"]


def read_pieces(
    rankings: pl.DataFrame,
    chunk_sets: Mapping[str, ChunkSet],
    questions: Sequence[Question],
    budgets: Sequence[int],
    keep: int,
) -> dict[tuple[Cell, int], list[list[str]]]:
    """Return the pieces of each question, by condition and budget in tokens, in the order of the questions.

    Parameters
    ----------
    rankings : DataFrame
        As a record holds them: the first ``keep`` chunks of each question and condition.
    chunk_sets : mapping of str to ChunkSet
        By arm.
    questions : sequence of Question
    budgets : sequence of int
    keep : int

    Raises
    ------
    UsageError
        The chunks that are kept do not fill a budget, while the ranking went on.
    """
    found: dict[tuple[Cell, int], list[list[str]]] = {}
    for (arm, retriever), rows in rankings.partition_by(
        ["arm", "retriever"], as_dict=True, maintain_order=True
    ).items():
        texts = chunk_sets[arm].texts
        ranked = dict(_by_question(rows, chunk_sets[arm]))
        for budget in budgets:
            filled = [fill_pieces((texts[n] for n in ranked.get(q.id, ())), budget) for q in questions]
            short = [q for q, (_, used) in zip(questions, filled, strict=True) if used < budget]
            if lost := [q.id for q in short if len(ranked.get(q.id, ())) == keep]:
                raise UsageError(
                    f"The first {keep} chunks of {arm!r} under {retriever!r} have fewer than the {budget:,} tokens "
                    f"that the reader gets, for {len(lost):,} questions: {', '.join(lost[:5])}.",
                    hint="Raise keep in the trial file.",
                )
            found[(arm, retriever), budget] = [pieces for pieces, _ in filled]
    return found


def _by_question(rows: pl.DataFrame, chunks: ChunkSet) -> Iterator[tuple[str, list[int]]]:
    """Yield each question with the numbers of its ranked chunks in the arm's set, best first."""
    first = np.searchsorted(chunks.document, np.arange(len(chunks.documents)))
    start_of = {document.id: int(start) for document, start in zip(chunks.documents, first, strict=True)}
    for (question,), ranked in rows.partition_by(["question"], as_dict=True, maintain_order=True).items():
        columns = zip(ranked["document"].to_list(), ranked["chunk"].to_list(), strict=True)
        yield str(question), [start_of[document] + chunk for document, chunk in columns]
