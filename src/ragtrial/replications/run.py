"""A study from start to comparison, in the papers' order: select, build, freeze check, score, analyse.

No part is scored before the arms of all parts are built, so that no outcome can be seen while anything is still open.
What was built, asked and scored is kept: the same command goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragtrial.errors import DataError, RecordError
from ragtrial.replications.compare import adjusted_families, compare_with_paper
from ragtrial.replications.design import Design, Planned
from ragtrial.replications.lacking import lacking_in, unread_of
from ragtrial.replications.narrow import parts_of_retriever
from ragtrial.replications.place import RECORD, Given, Promise, draw, kept_if_refused, other_data, settle
from ragtrial.replications.roles import Role
from ragtrial.replications.rows import PartRows
from ragtrial.replications.study import Study
from ragtrial.replications.template import fill, roles_in, stages_of
from ragtrial.trial.build import Built
from ragtrial.trial.frozen import hold_against_plan
from ragtrial.trial.progress import Progress, silent
from ragtrial.trial.record import Record, write_json
from ragtrial.trial.run import Prepared, build, prepare, run_prepared

__all__ = ["COMPARISON_NAME", "MOST_FAILED", "Replicated", "Replication", "compared", "families_of"]

MOST_FAILED: Final = 0.05
"""The share of a part's documents that may fail: above it nothing is scored unless the user says so."""

COMPARISON_NAME: Final = "comparison.json"


@dataclass(frozen=True)
class Replicated:
    """The record of each part, and the comparison with the paper."""

    records: Mapping[str, Record]
    comparison: Mapping[str, Any]


@dataclass(frozen=True)
class Replication:
    """A study that is run: select, build, freeze check, score, analyse.

    Parameters
    ----------
    output : Path
        Holds a folder for each part, and the comparison.
    promise : Promise, optional
        With it the plan of each part is frozen before anything is built.
    incomplete : bool
        Whether parts are scored of which more than 5% of the documents failed.
    workers : int
        Processes that score.
    progress : Progress
    say : callable
        Gets a sentence when a stage is done.
    """

    output: Path
    promise: Promise | None = None
    incomplete: bool = False
    workers: int = 1
    progress: Progress = silent
    say: Callable[[str], None] = print

    def run(self, design: Design, given: Given) -> Replicated:
        """Run a design and compare it with the paper.

        Raises
        ------
        DataError
            Data is missing, or more than 5% of a part's documents failed.
        RecordError
            A trial differs from its frozen plan: every differing path is named, and nothing is built or scored.
        SpendingCapError
            A call could pass the cap; with a higher one the same command goes on.
        """
        with kept_if_refused(self.output / planned.part.name for planned in design.parts):
            prepared = self._selected(design, given)
            built = self._built(prepared)
            self._held(prepared)
        records = self._scored(prepared, built)
        other = {
            planned.part.name: data
            for planned in design.parts
            if (data := other_data(planned.part, design.study.data[planned.part.data], given)) is not None
        }
        comparison = _head(design, given, other) | compared(design, records, given.sample, other)
        write_json(self.output / COMPARISON_NAME, comparison)
        return Replicated(records, comparison)

    def _selected(self, design: Design, given: Given) -> dict[str, Prepared]:
        prepared: dict[str, Prepared] = {}
        for planned in design.parts:
            folder = self.output / planned.part.name
            source = draw(planned.part, design.study.data[planned.part.data], given, folder)
            trial = settle(planned, source, folder, self.promise)
            prepared[planned.part.name] = prepare(trial, self.progress)
            questions = len(prepared[planned.part.name].setup.corpus.questions)
            self.say(f"Selected for {planned.part.name}: {questions:,} questions.")
        return prepared

    def _built(self, prepared: Mapping[str, Prepared]) -> dict[str, Built]:
        built: dict[str, Built] = {}
        for name, one in prepared.items():
            if self._record(name, one) is None:
                built[name] = build(one, self.progress)
                self._complete(name, built[name])
        self.say(f"All arms are built (parts: {len(prepared)}, built now: {len(built)}).")
        return built

    def _complete(self, name: str, built: Built) -> None:
        total = len(built.failed) + len(built.corpus.documents)
        share = len(built.failed) / max(total, 1)
        if share > MOST_FAILED and not self.incomplete:
            document, reason = next(iter(built.failed.items()))
            raise DataError(
                f"{len(built.failed):,} of {total:,} documents of {name} ({share:.1%}) failed in some arm, and at most "
                f"{MOST_FAILED:.0%} may: nothing was scored. The first: {document} ({reason}).",
                hint="Run the same command again: only what failed is asked for. --incomplete scores what there is.",
            )
        for row in unread_of((arm, chunks.reports) for arm, chunks in built.chunks.items()):
            if row["unread"] > MOST_FAILED * row["chunks"] and not self.incomplete:
                raise DataError(
                    f"No reply could be read about {row['unread']:,} of {row['chunks']:,} chunks of the arm "
                    f"{row['arm']!r} of {name}, and at most {MOST_FAILED:.0%} may be so: nothing was scored.",
                    hint="Another model may keep to the format (--model). --incomplete scores what there is.",
                )

    def _held(self, prepared: Mapping[str, Prepared]) -> None:
        """Hold every trial against its plan once more: prompts and models may have changed while arms were built."""
        for one in prepared.values():
            hold_against_plan(one.setup.trial, one.setup.corpus)

    def _scored(self, prepared: Mapping[str, Prepared], built: Mapping[str, Built]) -> dict[str, Record]:
        records = {}
        for name, one in prepared.items():
            folder = self.output / name / RECORD
            records[name] = run_prepared(one, folder, built.get(name), workers=self.workers, progress=self.progress)
            self.say(f"Scored {name}: {folder}")
        return records

    def _record(self, name: str, prepared: Prepared) -> Record | None:
        folder = self.output / name / RECORD
        if not (folder / "record.json").exists():
            return None
        record = Record.open(folder)
        if record.header["trial"] != prepared.identity:
            raise RecordError(
                f"{folder} holds the record of another trial: other models, arms, documents, questions or plan.",
                hint="Choose another --output, or remove that folder if nobody needs it.",
            )
        return record


def compared(
    design: Design, records: Mapping[str, Record], sample: int | None, other: Mapping[str, str]
) -> dict[str, Any]:
    """Return the comparison of records with the paper, families adjusted over all parts, and what they lack.

    ``other`` tells of parts what stands in place of the paper's data; see `ragtrial.replications.place.other_data`.
    """
    rows = {name: _rows(design, name, record, sample, other.get(name)) for name, record in records.items()}
    families = adjusted_families(families_of(design.study, design.roles), rows)
    return compare_with_paper(design.study.published, rows, families) | {
        "lacking": [lacking_in(name, record.header) for name, record in records.items()]
    }


def families_of(study: Study, roles: Mapping[str, Role]) -> dict[str, list[tuple[str, str]]]:
    """Return the members of each family, as part and contrast, over all parts of a study as it was planned."""
    found: dict[str, list[tuple[str, str]]] = {}
    for part in study.parts:
        for row in fill(study.templates[part.name], roles).whole().get("contrasts", []):
            if "family" in row:
                found.setdefault(row["family"], []).append((part.name, row["name"]))
    return found


def _head(design: Design, given: Given, other: Mapping[str, str]) -> dict[str, Any]:
    playing = {name for planned in design.parts for name in planned.roles}
    return {
        "study": design.study.name,
        "source": design.study.source,
        "preset_sha256": design.study.sha256,
        "sample": given.sample,
        "other_data": dict(other),
        "parts": [planned.part.name for planned in design.parts],
        "roles": {
            name: {"model": role.model, "swapped": role.swapped}
            for name, role in design.roles.items()
            if name in playing
        },
    }


def _rows(design: Design, name: str, record: Record, sample: int | None, other: str | None) -> PartRows:
    planned = next(planned for planned in design.parts if planned.part.name == name)
    return PartRows(
        header=record.header,
        contrasts=record.contrasts,
        exploratory=record.exploratory,
        grid=record.grid,
        swapped=_swapped_in(design, planned),
        sample=sample,
        other=other,
    )


def _swapped_in(design: Design, planned: Planned) -> dict[str, Sequence[str]]:
    """Return for each arm, each retriever and the answers the roles in them that another model plays."""
    template = design.study.templates[planned.part.name]
    swapped = {name for name, role in design.roles.items() if role.swapped}
    found: dict[str, Sequence[str]] = {}
    for row in stages_of(template):
        for table in ("arms", "retrievers"):
            for name, spec in row.get(table, {}).items():
                found[name] = sorted(roles_in(template, spec) & swapped)
        found["answers"] = sorted({*found.get("answers", ()), *(roles_in(template, row.get("answers", {})) & swapped)})
    return _through_parts(template, found)


def _through_parts(template: Mapping[str, Any], found: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Let a retriever have the roles of those that it is made of."""
    table: dict[str, str] = {}
    for row in stages_of(template):
        table |= row.get("retrievers", {})
    whole: dict[str, set[str]] = {name: set(roles) for name, roles in found.items()}
    bare = {name: _without_places(spec) for name, spec in table.items()}
    for _ in table:
        for name, spec in bare.items():
            for part in parts_of_retriever(spec, table):
                whole[name] |= whole[part]
    return {name: sorted(roles) for name, roles in whole.items()}


def _without_places(spec: str) -> str:
    return spec.replace("{", "'").replace("}", "'")
