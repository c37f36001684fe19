"""The questions of a first trial: given, written by a model, or harvested from links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragtrial.documents.model import Document
    from ragtrial.questions.model import Question

__all__ = ["Asked", "ask"]


@dataclass(frozen=True)
class Asked:
    """The questions of a first trial, and how they were got, in sentences."""

    questions: tuple[Question, ...]
    lines: tuple[str, ...]


def ask(documents: Sequence[Document], given: Path | None, model: str | None, url: str, work: Path) -> Asked:
    """Get questions: those that are given, else those of a named model, else those harvested from links."""
    from ragtrial.statistics.clusters import FEW_CLUSTERS
    from ragtrial.trial.outlook import detectable

    if given is not None:
        asked = _given(given, documents)
    elif model is not None:
        asked = _generated(documents, model, url, work)
    else:
        asked = _harvested(documents)
    clusters = len({question.cluster for question in asked.questions})
    only = f"{clusters} document{'' if clusters == 1 else 's'}"
    few = f"They are about only {only}: more documents with questions are needed before anything holds."
    return Asked(
        asked.questions, (*asked.lines, detectable(asked.questions), *([few] if clusters < FEW_CLUSTERS else []))
    )


def _given(path: Path, documents: Sequence[Document]) -> Asked:
    from ragtrial.errors import DataError
    from ragtrial.questions.load import read_questions

    reading = read_questions(path, documents)
    lines = [f"Questions: {len(reading.questions):,} of {path} ({reading.format})."]
    if reading.unread:
        lines.append(f"Columns that mean nothing here: {', '.join(reading.unread)}.")
    if reading.excluded:
        first = reading.excluded[0]
        lines.append(
            f"{len(reading.excluded):,} questions are left out; the first, {first.id}: {first.reason}. "
            "See 'ragtrial questions check'."
        )
    if not reading.questions:
        raise DataError(f"No question of {path} has its evidence in these documents.", hint=lines[-1])
    return Asked(reading.questions, tuple(lines))


def _generated(documents: Sequence[Document], model: str, url: str, work: Path) -> Asked:
    from ragtrial.cli.output import progress_bars
    from ragtrial.llm.load import load
    from ragtrial.llm.options import ModelOptions
    from ragtrial.questions.generate.run import Plan, generate_questions
    from ragtrial.questions.generate.targets import Sampling
    from ragtrial.questions.load import read_questions
    from ragtrial.trial.generation import Files, write_generated

    files = Files.beside(work / "generated.jsonl")
    files.refuse_decided()
    plan = Plan(sampling=Sampling(per_document=1))
    served = load(ModelOptions(model, url))
    generated = generate_questions(documents, served, plan, progress=progress_bars())
    write_generated(files, documents, generated, plan, served)
    reading = read_questions(files.questions, documents)
    line = (
        f"Questions: {len(reading.questions):,} written by {model}; no person has read them. "
        f"Review them in {files.review} ('ragtrial questions review')."
    )
    return Asked(reading.questions, (line,))


def _harvested(documents: Sequence[Document]) -> Asked:
    from ragtrial.errors import DataError
    from ragtrial.questions.links.harvest import ENOUGH, EXPLORATORY, harvest_enough

    found = harvest_enough(documents)
    lines = ["Questions harvested from the documents' own links:", *(f"  {line}" for line in found.lines())]
    if not found.questions:
        raise DataError(
            "The links between these documents give no question:\n" + "\n".join(lines[1:]),
            hint="Give your own with --questions FILE (30 questions with a quote each are a start; "
            'a line is {"question": "...", "evidence": "a quote from a document"}), or name a model with --model.',
        )
    if found.rules.mentions:
        lines.append(
            f"Fewer than {ENOUGH} sentences point to a section, so sentences that only mention one were taken too; "
            "of those, fewer are answered by their section."
        )
    return Asked(found.questions, (*lines, EXPLORATORY))
