"""What follows from the table of scores: means, contrasts, grid, ladders, runs, models, descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ragtrial.trial.analyse import analyse
from ragtrial.trial.answers.tiers import judged_tiers
from ragtrial.trial.exploratory.explore import explore
from ragtrial.trial.exploratory.features import Feature
from ragtrial.trial.exploratory.found import found_counts
from ragtrial.trial.fusions import compare_fusions
from ragtrial.trial.grid import grid_rows
from ragtrial.trial.ladders import climb_ladders
from ragtrial.trial.record import Record
from ragtrial.trial.remade.differ import unequal
from ragtrial.trial.scores import Scores
from ragtrial.trial.secondary import mixed_models, runs_of_averages

__all__ = ["result_faults"]

_FITTED: Final = 1e-6
"""How far two fits of the mixed model may be apart: an optimiser stops where its own version finds good enough."""


def result_faults(record: Record, scores: Scores) -> Iterator[str]:
    """Yield a sentence for each result that does not follow from the scores."""
    header = record.header
    effective = header["effective"]
    means, contrasts = analyse(judged_tiers(effective, header.get("answers")), scores)
    yield from unequal("record.json: conditions", header["conditions"], means)
    yield from unequal("record.json: fusions", header["fusions"], compare_fusions(effective, header["fused"], scores))
    yield from unequal("record.json: ladders", header["ladders"], climb_ladders(effective, scores))
    yield from unequal("record.json: runs", header.get("runs", []), runs_of_averages(effective, scores))
    yield from _mixed_model_faults(record, scores)
    yield from unequal("contrasts.json:", record.contrasts, contrasts)
    yield from unequal("grid.json:", record.grid, grid_rows(effective, header["corpus"]["question_types"], scores))
    found = [Feature(*row) for row in record.features.select(Feature._fields).iter_rows()]
    described = explore(effective, found, found_counts(record.found), scores)
    yield from unequal("exploratory.json:", record.exploratory, described)


def _mixed_model_faults(record: Record, scores: Scores) -> Iterator[str]:
    # Notes are the library's own warnings, worded otherwise in each of its versions.
    stored, found = (
        [{key: value for key, value in row.items() if key != "notes"} for row in rows]
        for rows in (record.header.get("mixed_models", []), mixed_models(record.header["effective"], scores))
    )
    yield from unequal("record.json: mixed_models", stored, found, _FITTED)
