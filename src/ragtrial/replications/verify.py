"""An outsider's check of a replication: the record of every part, and the comparison with the paper made again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragtrial.errors import RecordError
from ragtrial.replications.compare import COMPARISON_VERSION
from ragtrial.replications.design import design_of
from ragtrial.replications.roles import Role
from ragtrial.replications.run import COMPARISON_NAME, compared
from ragtrial.replications.study import Study
from ragtrial.trial.record import Record
from ragtrial.trial.remade.differ import unequal_part
from ragtrial.trial.verify import verify_record

__all__ = ["read_comparison", "verify_replication"]

_AGAIN = "Run 'ragtrial replicate' again with the same --output: it writes the comparison anew."


def read_comparison(folder: Path) -> dict[str, Any]:
    """Read the comparison of a replication; one that is missing, damaged or newer raises `RecordError`."""
    path = folder / COMPARISON_NAME
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path} cannot be read: {error}.", hint=_AGAIN) from error
    wanted = {"study", "preset_sha256", "sample", "other_data", "roles", "parts", "numbers", "version"}
    if not isinstance(found, dict) or not wanted <= found.keys() or type(found["version"]) is not int:
        raise RecordError(f"{path} is no comparison of a replication, or one of an older version.", hint=_AGAIN)
    if found["version"] > COMPARISON_VERSION:
        raise RecordError(f"{path} has version {found['version']}.", hint="Upgrade ragtrial to read it.")
    return found


def verify_replication(folder: Path) -> list[str]:
    """Return a sentence for every way in which a replication does not hold; an empty list means verified.

    Checked: the record of each part (`ragtrial.trial.verify.verify_record`); who was swapped, as far as the names of
    models tell; every row of ``comparison.json`` made again from the records and the preset, families Holm-adjusted
    over all parts among them.

    Raises
    ------
    RecordError
        There is no comparison, or it cannot be read.
    UsageError
        There is no such preset here.
    """
    return list(_faults(folder, read_comparison(folder)))


def _faults(folder: Path, comparison: Mapping[str, Any]) -> Iterator[str]:
    study = Study.open(comparison["study"])
    records: dict[str, Record] = {}
    lacking = False
    for part in comparison["parts"]:
        try:
            records[part] = Record.open(folder / part / "record")
        except RecordError as error:
            lacking = True
            yield f"{part}: {error.message}"
        else:
            yield from (f"{part}: {fault}" for fault in verify_record(records[part]))
    if study.sha256 != comparison["preset_sha256"]:
        yield (
            f"{COMPARISON_NAME}: preset_sha256 is {comparison['preset_sha256']}, and {study.sha256} here: it was made "
            "with another version of the preset, and cannot be made again with this one"
        )
        return
    yield from _role_faults(study, comparison["roles"])
    if records and not lacking:
        design = design_of(study, _played(study, comparison["roles"]), list(records))
        made = compared(design, records, comparison["sample"], comparison["other_data"])
        made |= {"source": study.source}
        yield from unequal_part(f"{COMPARISON_NAME}:", comparison, made)


def _role_faults(study: Study, roles: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for name, row in roles.items():
        if name not in study.roles:
            yield f"{COMPARISON_NAME}: roles has {name!r}, which the study has not"
        elif not row["swapped"] and row["model"] != study.roles[name].model:
            yield (
                f"{COMPARISON_NAME}: roles.{name} is {row['model']!r} and said to be the paper's own, which is "
                f"{study.roles[name].model!r}"
            )


def _played(study: Study, roles: Mapping[str, Mapping[str, Any]]) -> dict[str, Role]:
    return {
        name: replace(role, swapped=bool(roles[name]["swapped"])) if name in roles else role
        for name, role in study.roles.items()
    }
