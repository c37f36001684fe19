"""Amendments: what was added to a frozen plan, when, why, and what had been seen by then.

``plan.amendments.jsonl`` lies beside the plan and is only ever appended to. Each line
holds the sha256 of the line before it (the first one that of the plan), so a line that
was edited or removed breaks the chain. What an amendment adds is secondary at most.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtrial.errors import DataError, RecordError
from ragtrial.storage.canonical import canonical_json
from ragtrial.trial.hashing import sha256
from ragtrial.trial.plan import Plan, differences, state_of, utc_now
from ragtrial.trial.setup import Setup

__all__ = ["AMENDMENTS_NAME", "amend", "amended_state", "read_amendments"]

AMENDMENTS_NAME = "plan.amendments.jsonl"

_TABLES = ("arms", "retrievers", "only", "averages", "contrasts", "families", "ladders", "answers")
"""What an amendment may add entries to; measures may be added at the end of their list."""


def read_amendments(plan: Plan) -> list[dict[str, Any]]:
    """Read the amendments of a plan, oldest first; a broken chain raises `RecordError`."""
    path = plan.path.with_name(AMENDMENTS_NAME)
    if not path.exists():
        return []
    amendments: list[dict[str, Any]] = []
    previous = plan.sha256
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or entry.get("sha256") != _digest(entry):
            raise RecordError(f"{path}:{number}: this amendment was changed after it was made: its sha256 differs.")
        if entry.get("previous") != previous or entry.get("number") != number:
            raise RecordError(
                f"{path}:{number}: the chain is broken: an amendment before this line was edited, moved or removed."
            )
        previous = entry["sha256"]
        amendments.append(entry)
    return amendments


def amended_state(plan: Plan, amendments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the plan's state with all that amendments added."""
    state: dict[str, Any] = copy.deepcopy(dict(plan.state))
    for entry in amendments:
        for table, added in entry["added"].items():
            if table == "measures":
                state["parameters"]["measures"] = [*state["parameters"]["measures"], *added]
            else:
                state["parameters"][table] = state["parameters"].get(table, {}) | added
    return state


def amend(plan: Plan, setup: Setup, *, reason: str, seen: str) -> dict[str, Any]:
    """Append what the trial has beyond its plan; anything but an addition raises `RecordError`.

    ``reason`` says why, ``seen`` what outcomes had been seen before. Contrasts that are
    added are secondary or exploratory.
    """
    amendments = read_amendments(plan)
    planned = amended_state(plan, amendments)
    found = state_of(setup)
    added = _added(planned["parameters"], found["parameters"])
    if not added:
        if left := differences(planned, found):
            raise _refused(left)
        raise RecordError("There is nothing to amend: the trial is as it was planned.")
    entry: dict[str, Any] = {
        "number": len(amendments) + 1,
        "previous": amendments[-1]["sha256"] if amendments else plan.sha256,
        "created": utc_now(),
        "reason": reason,
        "seen": seen,
        "added": added,
    }
    if left := differences(amended_state(plan, [*amendments, entry]), found):
        raise _refused(left)
    taken = {row["family"] for row in planned["parameters"]["contrasts"].values()} - {None}
    if joining := [name for name, row in added.get("contrasts", {}).items() if row["family"] in taken]:
        raise RecordError(
            f"An amendment cannot enlarge a frozen family, which would change its adjustment: {', '.join(joining)}.",
            hint="Give these contrasts a family of their own, or none.",
        )
    if confirmatory := [name for name, row in added.get("contrasts", {}).items() if row["tier"] == "confirmatory"]:
        raise RecordError(
            f"An amendment cannot add confirmatory contrasts: {', '.join(confirmatory)}.",
            hint='Give them tier = "secondary".',
        )
    entry["sha256"] = _digest(entry)
    _append(plan.path.with_name(AMENDMENTS_NAME), canonical_json(entry) + "\n")
    return entry


def _added(planned: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    added: dict[str, Any] = {}
    for table in _TABLES:
        # A planned retriever that is kept to some arms afterwards loses planned conditions.
        taken = planned.get(table, {}) | (planned["retrievers"] if table == "only" else {})
        if new := {name: row for name, row in found.get(table, {}).items() if name not in taken}:
            added[table] = new
    before, after = planned["measures"], found["measures"]
    if len(after) > len(before) and after[: len(before)] == before:
        added["measures"] = after[len(before) :]
    return added


def _refused(left: Sequence[str]) -> RecordError:
    return RecordError(
        "An amendment only adds arms, retrievers, averages, contrasts, families, ladders, measures and answers; this "
        "trial also differs from its plan in:\n" + "\n".join(f"  {line}" for line in left),
        hint="Take these changes back, or start a new trial in a folder of its own.",
    )


def _append(path: Path, line: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise DataError(f"Cannot write {path}: {error.strerror or error}.") from error


def _digest(entry: Mapping[str, Any]) -> str:
    return sha256({key: value for key, value in entry.items() if key != "sha256"})
