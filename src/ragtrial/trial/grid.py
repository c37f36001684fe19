"""Every contrast in every cell: under each retriever and measure, and for each type of question.

The cell that the trial names is marked as planned; all others are exploratory descriptions
that show whether a verdict hangs on the choice of the cell (KMR's grid of cells).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ragtrial.statistics.compare import Paired, compare_many
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["grid_rows"]


@dataclass(frozen=True, eq=False)
class _Cell:
    contrast: str
    a: str
    b: str
    retriever: str
    against: str
    measure: str
    planned: bool
    type: str | None = None
    questions: npt.NDArray[np.int64] | None = None


def grid_rows(effective: Mapping[str, Any], types: Mapping[str, str], scores: Scores) -> list[dict[str, Any]]:
    """Return a row for each cell, with the paired difference and its 95% interval.

    Parameters
    ----------
    effective : mapping
        The effective parameters as a record holds them.
    types : mapping of str to str
        The type of each question that has one; the planned cell is also cut by type.
    scores : Scores
    """
    cells = list(_cells(effective, types, scores))
    pairs = [_pair(cell, scores) for cell in cells]
    keys = ("interval", "resamples", "seed")
    results = compare_many(pairs, **{key: effective[key] for key in keys}) if pairs else ()
    return [
        {
            "contrast": cell.contrast,
            "retriever": cell.retriever,
            "measure": cell.measure,
            "type": cell.type,
            "planned": cell.planned,
            "questions": result.n,
            "clusters": result.n_clusters,
            "difference": result.difference,
            "ci95": None if result.ci95 is None else list(result.ci95),
        }
        for cell, result in zip(cells, results, strict=True)
    ]


def _cells(effective: Mapping[str, Any], types: Mapping[str, str], scores: Scores) -> Iterator[_Cell]:
    by_type = _questions_by_type(types, scores.questions)
    for name, contrast in effective["contrasts"].items():
        (a, own), (b, against) = sides(contrast)
        # A comparison of two retrievers has no other retriever to be made under.
        pairs = [(own, against)] if own != against else [(other, other) for other in effective["retrievers"]]
        for under, other in pairs:
            if not (scores.has(a, under) and scores.has(b, other)):
                continue
            for measure in scores.measures:
                planned = (under, measure) == (own, contrast["measure"])
                yield _Cell(name, a, b, under, other, measure, planned)
        for kind, questions in by_type.items():
            yield _Cell(name, a, b, own, against, contrast["measure"], planned=False, type=kind, questions=questions)


def _questions_by_type(types: Mapping[str, str], questions: Sequence[str]) -> dict[str, npt.NDArray[np.int64]]:
    """Return the numbers of the questions of each type, types sorted; nothing if there is only one."""
    numbers: dict[str, list[int]] = {}
    for number, question in enumerate(questions):
        if question in types:
            numbers.setdefault(types[question], []).append(number)
    if len(numbers) < 2:
        return {}
    return {kind: np.array(numbers[kind], dtype=np.int64) for kind in sorted(numbers)}


def _pair(cell: _Cell, scores: Scores) -> Paired:
    a = scores.of(cell.a, cell.retriever, cell.measure)
    b = scores.of(cell.b, cell.against, cell.measure)
    if cell.questions is None:
        return Paired(a, b, scores.clusters, scores.strata)
    chosen = cell.questions.tolist()
    strata = None if scores.strata is None else [scores.strata[number] for number in chosen]
    return Paired(a[cell.questions], b[cell.questions], [scores.clusters[number] for number in chosen], strata)
