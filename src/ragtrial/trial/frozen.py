"""A trial held against the plan that lies beside it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtrial.errors import RecordError
from ragtrial.trial.amendments import AMENDMENTS_NAME, amended_state, read_amendments
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.plan import PLAN_NAME, Plan, differences, plan_path, state_of
from ragtrial.trial.setup import Setup

__all__ = ["Frozen", "hold_against_plan", "planned_setup"]


@dataclass(frozen=True)
class Frozen:
    """What a plan says of a trial: each contrast's tier, and the plan's identity or None without a plan."""

    tiers: Mapping[str, str]
    plan: Plan | None = None
    amendments: tuple[Mapping[str, Any], ...] = ()

    @property
    def identity(self) -> dict[str, Any] | None:
        """The sha256 of the plan and of its amendments, JSON-ready."""
        if self.plan is None:
            return None
        return {
            "sha256": self.plan.sha256,
            "created": self.plan.content["created"],
            "amendments": [entry["sha256"] for entry in self.amendments],
        }

    def copy_into(self, folder: Path) -> tuple[str, ...]:
        """Copy the plan and its amendments into a record, so that it can be verified alone; return their names."""
        if self.plan is None:
            return ()
        names = (PLAN_NAME, AMENDMENTS_NAME) if self.amendments else (PLAN_NAME,)
        for name in names:
            shutil.copyfile(self.plan.path.with_name(name), folder / name)
        return names


def planned_setup(trial: Trial, corpus: Corpus) -> Setup:
    """Return the trial on its corpus with the tiers that its file gives."""
    return Setup(trial, corpus, {contrast.name: contrast.tier for contrast in trial.contrasts})


def hold_against_plan(trial: Trial, corpus: Corpus) -> Frozen:
    """Compare a trial with the plan beside its file; any difference raises `RecordError` that names each path.

    Without a plan every contrast is exploratory.
    """
    if trial.file is None or not plan_path(trial).exists():
        return Frozen({contrast.name: "exploratory" for contrast in trial.contrasts})
    plan = Plan.read(plan_path(trial))
    if plan.content["trial"] != trial.file.name:
        raise RecordError(
            f"{plan.path} freezes {plan.content['trial']}, not {trial.file.name}.",
            hint="A folder holds one frozen trial: put the other into a folder of its own.",
        )
    amendments = read_amendments(plan)
    planned = amended_state(plan, amendments)
    if found := differences(planned, state_of(planned_setup(trial, corpus))):
        places = "one place" if len(found) == 1 else f"{len(found):,} places"
        raise RecordError(
            f"The trial differs from its plan {plan.path} in {places}, so nothing was built:\n"
            + "\n".join(f"  {line}" for line in found),
            hint="Take the changes back, declare additions with 'ragtrial amend', or start a trial in a new folder.",
        )
    tiers = {name: row["tier"] for name, row in planned["parameters"]["contrasts"].items()}
    return Frozen(tiers, plan, tuple(amendments))
