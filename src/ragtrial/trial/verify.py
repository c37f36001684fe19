"""An outsider's check of a record: its files, its plan, and every number made again from the table of scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from ragtrial.errors import RecordError
from ragtrial.trial.amendments import amended_state, read_amendments
from ragtrial.trial.analyse import analyse
from ragtrial.trial.answers.tiers import judged_tiers
from ragtrial.trial.exploratory.explore import explore
from ragtrial.trial.exploratory.features import Feature
from ragtrial.trial.exploratory.found import found_counts
from ragtrial.trial.fusions import compare_fusions
from ragtrial.trial.grid import grid_rows
from ragtrial.trial.ladders import climb_ladders
from ragtrial.trial.plan import PLAN_NAME, Plan, differences
from ragtrial.trial.record import Record
from ragtrial.trial.secondary import runs_of_averages
from ragtrial.trial.tables import read_scores

__all__ = ["verify_record"]

_TOLERANCE = 1e-12


def verify_record(record: Record, plan: Plan | None = None) -> list[str]:
    """Return a sentence for every way in which a record does not hold; an empty list means verified.

    Checked: the sha256 of every file; the plan in the record (and, if given, that it is the
    plan that was published); parameters and package version against plan and amendments;
    every mean, interval, p-value and verdict, made again from ``scores.parquet``; the exploratory
    analyses, made again from ``features.parquet``.
    """
    return [*record.damaged_files(), *_plan_faults(record, plan), *_number_faults(record)]


def _plan_faults(record: Record, published: Plan | None) -> Iterator[str]:
    identity = record.header["plan"]
    if identity is None:
        if published is not None:
            yield "the record was made without a plan"
        for name, row in record.header["effective"]["contrasts"].items():
            if row["tier"] != "exploratory":
                yield f"contrast {name!r} claims a tier, but the record was made without a plan"
        return
    try:
        plan = Plan.read(record.folder / PLAN_NAME)
        amendments = read_amendments(plan)
    except RecordError as error:
        yield error.message
        return
    if plan.sha256 != identity["sha256"]:
        yield f"the plan in the record has the sha256 {plan.sha256}, the record was made under {identity['sha256']}"
    if published is not None and published.sha256 != plan.sha256:
        yield f"the record was made under another plan than {published.path}"
    if [entry["sha256"] for entry in amendments] != identity["amendments"]:
        yield "the amendments in the record are not those under which it was made"
    state = amended_state(plan, amendments)
    held = {"package": record.header["package"], "parameters": record.header["effective"]}
    for line in differences({key: state[key] for key in held}, held):
        yield f"the record differs from its plan in {line}"
    ran = {row["name"] for row in record.contrasts}
    for name in state["parameters"]["contrasts"]:
        if name not in ran:
            yield f"the planned contrast {name!r} was not run"


def _number_faults(record: Record) -> Iterator[str]:
    try:
        scores = read_scores(record)
        means, contrasts = analyse(judged_tiers(record.header["effective"], record.header.get("answers")), scores)
        fusions = compare_fusions(record.header["effective"], record.header["fused"], scores)
    except (KeyError, ValueError) as error:
        yield f"the table of scores does not fit the record: {error}"
        return
    yield from _unequal("conditions", record.header["conditions"], means)
    yield from _unequal("fusions", record.header["fusions"], fusions)
    grid = grid_rows(record.header["effective"], record.header["corpus"]["question_types"], scores)
    yield from _unequal("grid", record.grid, grid)
    yield from _unequal("ladders", record.header["ladders"], climb_ladders(record.header["effective"], scores))
    yield from _unequal("runs", record.header.get("runs", []), runs_of_averages(record.header["effective"], scores))
    yield from _unequal("contrasts", record.contrasts, contrasts)
    found = [Feature(*row) for row in record.features.select(Feature._fields).iter_rows()]
    counts = found_counts(record.found)
    yield from _unequal("exploratory", record.exploratory, explore(record.header["effective"], found, counts, scores))


def _unequal(path: str, stored: object, found: object) -> Iterator[str]:
    """Yield a sentence for every value that is stored otherwise than it is found."""
    if isinstance(found, Mapping) and isinstance(stored, Mapping):
        for key in sorted(found.keys() | stored.keys()):
            yield from _unequal(f"{path}.{key}", stored.get(key), found.get(key))
    elif isinstance(found, list) and isinstance(stored, list) and len(found) == len(stored):
        for number, (a, b) in enumerate(zip(stored, found, strict=True)):
            name = b.get("name", number) if isinstance(b, Mapping) else number
            yield from _unequal(f"{path}[{name}]", a, b)
    elif not _same(stored, found):
        yield f"{path} is {stored!r} in the record, and {found!r} when it is made again from the scores"


def _same(stored: Any, found: Any) -> bool:
    if isinstance(stored, float) and isinstance(found, float):
        return isclose(stored, found, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(stored == found)
