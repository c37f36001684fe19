"""The files of a record that hold answers and judgements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtrial.trial.answers.run import AnswerOutcome
from ragtrial.trial.answers.stage import Answered
from ragtrial.trial.record import write_parquet

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_answers"]


def write_answers(folder: Path, questions: Sequence[str], outcome: AnswerOutcome | None) -> list[str]:
    """Write ``answers.parquet``, and ``judgements.parquet`` where a judge was asked; return the names of the files.

    Parameters
    ----------
    folder : Path
    questions : sequence of str
        The ids, in the order of the scores.
    outcome : AnswerOutcome or None
        None for a trial without answers, which has none of the files.
    """
    if outcome is None:
        return []
    tables = {"answers.parquet": _answers_table(questions, outcome.answered)}
    if outcome.answered.judgements:
        tables["judgements.parquet"] = _judgements_table(questions, outcome.answered)
    for name, table in tables.items():
        write_parquet(folder / name, table)
    return list(tables)


def _answers_table(questions: Sequence[str], answered: Answered) -> pl.DataFrame:
    """Return one row per condition, budget and question: what the reader answered, and whether the judge was read.

    ``judged`` is None where no judge was asked.
    """
    import polars as pl

    rows: dict[str, list[object]] = {
        name: [] for name in ("question", "arm", "retriever", "budget", "answer", "judged")
    }
    for (cell, budget), answers in answered.answers.items():
        judgements = answered.judgements.get((cell, budget))
        for number, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            judged = None if judgements is None else judgements[number].readable
            for name, value in zip(rows, (question, *cell, budget, answer, judged), strict=True):
                rows[name].append(value)
    types = {"budget": pl.Int32, "judged": pl.Boolean}
    return pl.DataFrame({name: pl.Series(values, dtype=types.get(name, pl.String)) for name, values in rows.items()})


def _judgements_table(questions: Sequence[str], answered: Answered) -> pl.DataFrame:
    """Return one row per condition, budget, question and nugget, which is numbered from 0: the judge's label."""
    import polars as pl

    rows: dict[str, list[object]] = {name: [] for name in ("question", "arm", "retriever", "budget", "nugget", "label")}
    for (cell, budget), judgements in answered.judgements.items():
        for question, judgement in zip(questions, judgements, strict=True):
            for nugget, label in enumerate(judgement.labels):
                for name, value in zip(rows, (question, *cell, budget, nugget, label), strict=True):
                    rows[name].append(value)
    types = {"budget": pl.Int32, "nugget": pl.Int32}
    return pl.DataFrame({name: pl.Series(values, dtype=types.get(name, pl.String)) for name, values in rows.items()})
