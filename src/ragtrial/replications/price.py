"""What a design costs before anything is spent, and what is left out where the money does not reach."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragtrial.errors import DataError, RecordError
from ragtrial.replications.design import Design, Planned, reduced
from ragtrial.replications.narrow import narrow, parts_of_retriever
from ragtrial.replications.needs import lacks
from ragtrial.replications.study import Reduction
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus
from ragtrial.trial.estimate.rows import CallRow, Estimate
from ragtrial.trial.estimate.run import estimate_trial
from ragtrial.trial.progress import Progress, silent
from ragtrial.trial.record import write_json

__all__ = ["Priced", "calls_once", "estimate_part", "reductions_needed", "remember", "remembered", "unpriced"]

_REDUCTIONS: Final = "reductions.json"
_STAND_IN: Final = "{!r}, backend='openai', url='http://localhost:9/v1'"
"""An embedder whose texts can be counted, since nothing is sent before the first of them is embedded."""


@dataclass(frozen=True)
class Priced:
    """A part's estimate, and the retrievers that it does not count, since their models are not on this machine.

    The texts of absent embedders are counted all the same, as if none of their vectors were kept.
    """

    estimate: Estimate
    uncounted: tuple[str, ...]


def estimate_part(
    planned: Planned, keys: Mapping[str, Any], folder: Path, options: Mapping[str, Any], progress: Progress = silent
) -> Priced:
    """Return what a part costs: its arms are built with a model that asks nobody.

    Parameters
    ----------
    planned : Planned
    keys : mapping
        The keys of its trial, with its data.
    folder : Path
        What paths in the keys are relative to.
    options : mapping
        As `ragtrial.trial.estimate.run.estimate_trial` takes them.
    progress : Progress, optional
    """
    usable, uncounted = _usable(planned, keys)
    trial = Trial.of(usable, folder)
    return Priced(estimate_trial(trial, load_corpus(trial), progress=progress, **options), uncounted)


def _usable(planned: Planned, keys: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    absent = [role for role in planned.roles.values() if role.kind != "model" and lacks(role)]
    table: dict[str, str] = keys["retrievers"]
    lost: set[str] = set()
    for role in absent:
        dense = f"dense({role.spelled()})"
        lost |= {name for name, spec in keys["retrievers"].items() if role.spelled() in spec.replace(dense, "")}
        table = {name: spec.replace(dense, f"dense({_STAND_IN.format(role.model)})") for name, spec in table.items()}
    keys = {**keys, "retrievers": table}
    while more := {name for name, spec in table.items() if parts_of_retriever(spec, table) & lost} - lost:
        lost |= more
    kept = narrow(keys, lambda _: True, lambda name: name not in lost)
    if kept.keys is not None:
        return kept.keys, tuple(name for name in table if name in lost)
    # An estimate of calls needs no retriever of the study's.
    bare = {name: value for name, value in keys.items() if name not in ("only", "contrasts", "ladders", "families")}
    return {**bare, "retrievers": {"bm25": "bm25"}, "retriever": "bm25"}, tuple(table)


def remembered(folder: Path) -> list[Reduction] | None:
    """Return the reductions that a replication in this folder began with, None where none were remembered."""
    file = folder / _REDUCTIONS
    if not file.exists():
        return None
    try:
        return [Reduction.model_validate(row) for row in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise RecordError(f"{file} is damaged: {error}.", hint="Choose another --output.") from error


def remember(folder: Path, reductions: Sequence[Reduction]) -> None:
    """Write down the reductions, so that the same command goes on with them whatever is left of the money by then."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {folder}: {error.strerror or error}.") from error
    write_json(folder / _REDUCTIONS, [reduction.model_dump() for reduction in reductions])


def reductions_needed(design: Design, priced: Mapping[str, Priced], left: float) -> list[Reduction]:
    """Return as many of the declared reductions, in their order, as make a design cost no more than what is left.

    Those that take nothing out of this design are passed over. Models without a known price are not counted
    (`unpriced`). All reductions are returned where even they do not reach: the ledger then stops the run.

    Parameters
    ----------
    design : Design
    priced : mapping of str to Priced
        By part.
    left : float
        Dollars below the cap.
    """
    chosen: list[Reduction] = []
    for reduction in design.study.reductions:
        if sum(row.dollars or 0.0 for row in calls_once(design, priced)) <= left:
            break
        smaller = reduced(design, [reduction])
        if _arms(smaller) != _arms(design):
            chosen.append(reduction)
            design = smaller
    return chosen


def calls_once(design: Design, priced: Mapping[str, Priced]) -> list[CallRow]:
    """Return the calls of a design; of an arm that several parts have alike on one data set those of the largest part.

    The others ask for nothing: their documents are among those of the largest.
    """
    largest: dict[tuple[str, ...], CallRow] = {}
    for planned in design.parts:
        arms = planned.filled.whole()["arms"]
        known = priced.get(planned.part.name)
        for row in known.estimate.calls if known else ():
            # Calls of no arm are those that check a judge.
            if row.arm in arms or not row.arm:
                key = (planned.part.data, row.step, row.model, arms.get(row.arm, planned.part.name))
                if key not in largest or largest[key].calls < row.calls:
                    largest[key] = row
    return list(largest.values())


def unpriced(calls: Iterable[CallRow]) -> list[str]:
    """Return the models that are called and have no known price, sorted."""
    return sorted({row.model for row in calls if row.calls and row.dollars is None})


def _arms(design: Design) -> set[tuple[str, str]]:
    return {(planned.part.name, arm) for planned in design.parts for arm in planned.filled.whole()["arms"]}
