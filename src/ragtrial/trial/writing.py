"""The end of a run: what was built and scored becomes the files of a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragtrial import __version__
from ragtrial.trial import tables
from ragtrial.trial.analyse import analyse
from ragtrial.trial.answers.run import AnswerOutcome
from ragtrial.trial.answers.tables import write_answers
from ragtrial.trial.answers.tiers import judged_tiers
from ragtrial.trial.build import Built
from ragtrial.trial.cells import Cell
from ragtrial.trial.embeddings import model_rows
from ragtrial.trial.exploratory.write import FILES, write_contents
from ragtrial.trial.frozen import Frozen
from ragtrial.trial.fusions import compare_fusions, fused_parts
from ragtrial.trial.grid import grid_rows
from ragtrial.trial.ladders import climb_ladders
from ragtrial.trial.record import RECORD_VERSION, file_sha256, write_json, write_parquet
from ragtrial.trial.routing import routing_rows, routing_table
from ragtrial.trial.scores import Scores
from ragtrial.trial.secondary import mixed_models, runs_of_averages
from ragtrial.trial.served import changes_of, language_model_rows
from ragtrial.trial.setup import Setup
from ragtrial.trial.soundness import doubts_before, doubts_from_scores
from ragtrial.trial.tables import Extra
from ragtrial.trial.weights import weight_rows

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Outcome", "write_record"]


@dataclass(frozen=True)
class Outcome:
    """Everything that a finished run knows.

    ``identity`` is the sha256 of all that the record depends on; ``setup`` is the trial on the whole corpus, ``built``
    what is left of it; ``extra`` what conditions told beside scores and rankings; ``answers`` what a reader made of
    rankings, if the trial has one.
    """

    identity: str
    setup: Setup
    built: Built
    frozen: Frozen
    scores: Scores
    rankings: pl.DataFrame
    extra: Mapping[Cell, Extra]
    answers: AnswerOutcome | None = None


def write_record(folder: Path, outcome: Outcome) -> None:
    """Write the record; its header comes last and holds the sha256 of every other file."""
    setup, built, scores = outcome.setup, outcome.built, outcome.scores
    effective, summary = setup.effective, built.corpus.summary()
    answers = None if outcome.answers is None else outcome.answers.header()
    means, contrasts = analyse(judged_tiers(effective, answers), scores)
    write_parquet(folder / "scores.parquet", tables.scores_table(scores))
    write_parquet(folder / "rankings.parquet", outcome.rankings)
    write_json(folder / "contrasts.json", contrasts)
    write_json(folder / "grid.json", grid_rows(effective, summary["question_types"], scores))
    names = ["scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", *FILES]
    routed = {cell: extra.routed for cell, extra in outcome.extra.items() if extra.routed is not None}
    if routed:
        write_parquet(folder / "routing.parquet", routing_table(routed, scores.questions))
        names.append("routing.parquet")
    names += write_answers(folder, scores.questions, outcome.answers)
    index_tokens = write_contents(folder, effective, built, scores, outcome.rankings)
    names += outcome.frozen.copy_into(folder)
    queries = [question.text for question in built.corpus.questions]
    fused = fused_parts(setup.trial.retrievers)
    language_models = language_model_rows(built.models)
    header = {
        "version": RECORD_VERSION,
        "package": __version__,
        "trial": outcome.identity,
        "title": setup.trial.title,
        "plan": outcome.frozen.identity,
        "given": setup.trial.given,
        "effective": effective,
        "inputs": setup.inputs,
        "source": setup.corpus.source,
        "corpus": summary | {"failed_documents": dict(built.failed)},
        "strata": None if scores.strata is None else dict(zip(scores.questions, scores.strata, strict=True)),
        "arms": [_arm_row(outcome, name) | dict(index_tokens[name]) for name in built.chunks],
        "models": model_rows(setup.trial.retrievers, built.chunks, queries, setup.trial.cells),
        "language_models": language_models,
        "conditions": means,
        "fused": fused,
        "fusions": compare_fusions(effective, fused, scores),
        "routing": routing_rows(routed),
        "weights": weight_rows({cell: extra.weights for cell, extra in outcome.extra.items()}),
        "ladders": climb_ladders(effective, scores),
        "runs": runs_of_averages(effective, scores),
        "mixed_models": mixed_models(effective, scores),
        "answers": answers,
        "doubts": [
            *doubts_before(effective, built),
            *changes_of(language_models),
            *doubts_from_scores(contrasts, scores),
            *(outcome.answers.doubts() if outcome.answers else ()),
        ],
        "files": {name: file_sha256(folder / name) for name in names},
    }
    write_json(folder / "record.json", header)


def _arm_row(outcome: Outcome, name: str) -> dict[str, Any]:
    chunks = outcome.built.chunks[name]
    lengths = [len(text) for text in chunks.texts]
    placebos = [report for report in chunks.reports if report["step"] == "placebo"]
    return {
        "arm": name,
        "given": str(outcome.setup.trial.arms[name]),
        "effective": str(outcome.built.arms[name]),
        "chunks": len(chunks),
        "documents": len(np.unique(chunks.document)),
        "median_characters": float(np.median(lengths)),
        "mean_characters": float(np.mean(lengths)),
        "joiner": chunks.joiner,
        "placebos": placebos,
        "reports": [report for report in chunks.reports if report not in placebos],
    }
