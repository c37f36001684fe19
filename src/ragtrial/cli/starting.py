"""What ``try`` and ``init`` share: a folder of documents to a trial file and its questions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragtrial.documents.folder import Skipped
    from ragtrial.documents.model import Document
    from ragtrial.questions.model import Question
    from ragtrial.trial.starter import Starter

__all__ = ["Asked", "ask", "files_of", "read_documents", "say_what_is_left_out", "starter_for", "write_files"]

_KINDS_NAMED = 5


@dataclass(frozen=True)
class Asked:
    """The questions of a first trial, and how they were got, in sentences."""

    questions: tuple[Question, ...]
    lines: tuple[str, ...]


def files_of(output: Path | None, documents: Sequence[str]) -> tuple[Path, Path]:
    """Return where the trial file and the questions go; files that are there already are an error."""
    from ragtrial.errors import UsageError

    folder = output or Path(f"{Path(documents[0]).resolve().name or 'docs'}-trial")
    trial, questions = folder / "trial.toml", folder / "questions.jsonl"
    for file in (trial, questions):
        if file.exists():
            raise UsageError(
                f"{file} exists, and may hold your own work.",
                hint=f"Go on with 'ragtrial run {trial}', or choose another --output.",
            )
    return trial, questions


def read_documents(paths: Sequence[str], include: Sequence[str], exclude: Sequence[str]) -> list[Document]:
    """Read the documents, and say what was found and what was not read."""
    from ragtrial.documents.folder import read_folder
    from ragtrial.documents.survey import survey

    folder = read_folder(paths, include=include, exclude=exclude)
    documents = list(folder)
    for line in (*_skipped(folder.skipped), *_of_other_kinds(folder.other), *survey(documents).lines()):
        click.echo(line, err=True)
    return documents


def say_what_is_left_out() -> None:
    """Name the arms and retrievers that are not tried, each with the command that installs what it needs."""
    from ragtrial.trial.starter import missing_extras

    for name, extra in missing_extras().items():
        click.echo(f"Left out {name}, which needs: pip install 'ragtrial[{extra}]'", err=True)


def _skipped(files: Sequence[Skipped]) -> list[str]:
    """Name the files that were not read: those with one cause in one line."""
    by_cause: dict[str, list[Skipped]] = {}
    for item in files:
        by_cause.setdefault(item.cause, []).append(item)
    return [
        f"Skipped {same[0].path}{f' and {len(same) - 1:,} more' if len(same) > 1 else ''}: {cause}"
        for cause, same in by_cause.items()
    ]


def _of_other_kinds(counts: Mapping[str, int]) -> list[str]:
    if not counts:
        return []
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{count:,} {extension or 'without an ending'}" for extension, count in most[:_KINDS_NAMED])
    return [f"Not read, being of other kinds: {named}{' ...' if len(most) > _KINDS_NAMED else ''}."]


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


def starter_for(
    paths: Sequence[str], trial: Path, asked: Asked, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Starter:
    """Return the first trial, with paths as the trial file's folder sees them."""
    from ragtrial.trial.starter import Starter

    documents = [_seen_from(trial.parent, Path(path)) for path in paths]
    # What the trial writes must not become a document of its next run.
    exclude = [*exclude, *(pattern for path in paths for pattern in _own_files(trial.parent, Path(path)))]
    alternatives = any(len(question.annotators) > 1 for question in asked.questions)
    title = f"First trial of {Path(paths[0]).resolve().name}"
    return Starter.of(title, documents, "questions.jsonl", include=include, exclude=exclude, alternatives=alternatives)


def _own_files(folder: Path, documents: Path) -> list[str]:
    inside = folder.resolve()
    if not inside.is_relative_to(documents.resolve()):
        return []
    below = inside.relative_to(documents.resolve()).as_posix()
    return ["record/**", "generated.*"] if below == "." else [f"{below}/**"]


def _seen_from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:
        # Another drive of Windows has no relative path.
        return path.resolve().as_posix()


def write_files(starter: Starter, trial: Path, questions: Path, asked: Asked) -> None:
    """Write the trial file and the questions; what cannot be written is a `DataError`."""
    from ragtrial.errors import DataError
    from ragtrial.questions.write import questions_text

    try:
        trial.parent.mkdir(parents=True, exist_ok=True)
        for file, text in ((questions, questions_text(asked.questions)), (trial, starter.toml())):
            part = file.with_name(f"{file.name}.part")
            part.write_text(text, encoding="utf-8", newline="\n")
            part.replace(file)
    except OSError as error:
        raise DataError(f"Cannot write into {trial.parent}: {error.strerror or error}.") from error
