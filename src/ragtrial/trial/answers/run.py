"""The answer stage of a run, from the trial's settings to what its record holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.llm.load import load
from ragtrial.llm.model import KeptModel
from ragtrial.trial.answers.context import read_pieces
from ragtrial.trial.answers.models import AnswerPrompts, model_options
from ragtrial.trial.answers.stage import Answered, Judging, Reading, answer_questions, needed_texts
from ragtrial.trial.progress import Progress
from ragtrial.trial.scores import Scores
from ragtrial.trial.served import served_row
from ragtrial.trial.setup import Setup

if TYPE_CHECKING:
    import polars as pl

__all__ = ["AnswerOutcome", "answer_trial", "with_answers"]


@dataclass(frozen=True)
class AnswerOutcome:
    """What the answer stage gives to a record: the answers, and what the servers said of their models."""

    answered: Answered
    served: Mapping[str, Any]

    def header(self) -> dict[str, Any]:
        """Return the part of the record's header."""
        controls = self.answered.controls
        return {"controls": None if controls is None else controls.row(), "served": dict(self.served)}

    def doubts(self) -> list[str]:
        """Return a sentence for each reason why rows on answers say little."""
        answers = [answer for row in self.answered.answers.values() for answer in row]
        found = []
        for name, served in self.served.items():
            if len(served["fingerprints"]) > 1:
                found.append(f"The {name} changed while it was used: {len(served['fingerprints'])} builds answered.")
        if empty := sum(not answer for answer in answers):
            found.append(f"{empty:,} of {len(answers):,} answers are empty and score 0.")
        controls = self.answered.controls
        if controls is not None and controls.faults:
            found.append(f"Rows on nuggets are exploratory: {'; '.join(controls.faults)}.")
        if controls is not None and controls.unreadable:
            found.append(f"{controls.unreadable:,} judgements could not be read and count as no support.")
        return found


def answer_trial(
    setup: Setup, chunks: Mapping[str, ChunkSet], rankings: pl.DataFrame, progress: Progress
) -> AnswerOutcome | None:
    """Answer the questions of a trial under every condition; None for a trial without measures of answers.

    Raises as `ragtrial.trial.answers.stage.answer_questions`, and `DataError` if questions lack references or nuggets.
    """
    trial = setup.trial
    measures = [measure for measure in trial.all_measures if measure.needs_answers]
    if trial.answers is None or not measures:
        return None
    questions = setup.corpus.questions
    needed_texts(measures, questions)
    prompts = AnswerPrompts.load(trial.answers, trial.resolve)
    models: dict[str, KeptModel] = {"reader": load(model_options(trial.answers.reader))}
    reading = Reading(models["reader"], prompts.reader, trial.answers.max_tokens)
    judging = None
    if trial.answers.judge is not None and prompts.judge is not None:
        models["judge"] = load(model_options(trial.answers.judge))
        judging = Judging(models["judge"], prompts.judge, trial.answers.seed, trial.answers.human_kappa)
    budgets = sorted({measure.cutoff for measure in measures})
    pieces = read_pieces(rankings, chunks, questions, budgets, trial.keep)
    answered = answer_questions(measures, questions, pieces, reading, judging, progress=progress)
    return AnswerOutcome(answered, {name: served_row(model) for name, model in models.items()})


def with_answers(scores: Scores, answered: Answered, measures: Sequence[str]) -> Scores:
    """Return the scores of a run with those of answers among them; ``measures`` gives the order of all."""
    values = {}
    for cell in scores.values:
        columns = answered.values[cell]
        values[cell] = np.column_stack([columns[m] if m in columns else scores.of(*cell, m) for m in measures])
    return replace(scores, measures=list(measures), values=values)
