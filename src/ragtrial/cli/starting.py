"""What ``try`` and ``init`` share: a folder of documents to a trial file and its questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from ragtrial.cli.asking import Asked, ask
from ragtrial.cli.reading import READ_AS, reading_options

if TYPE_CHECKING:
    from ragtrial.documents.folder import Skipped
    from ragtrial.documents.formats import Format
    from ragtrial.trial.corpus import ReadDocuments
    from ragtrial.trial.starter import Starter

__all__ = ["Given", "Start", "begin", "starting_options"]

Command = TypeVar("Command", bound=Callable[..., object])

_KINDS_NAMED = 5
_OPTIONS = (
    click.argument("docs", nargs=-1, required=True, metavar="DOCS..."),
    click.option("--questions", type=click.Path(path_type=Path), help="Your questions, in any known format."),
    click.option("--model", help="A language model that writes the questions."),
    click.option(
        "--url", default="openai", show_default=True, help="Its server: a short name such as ollama, or a URL."
    ),
    click.option(
        "--output", type=click.Path(file_okay=False, path_type=Path), help="Folder to write. [default: NAME-trial]"
    ),
    reading_options,
)


def starting_options(command: Command) -> Command:
    """Add the documents and the options of `Given`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Given:
    """What the command line says of a first trial."""

    docs: tuple[str, ...]
    questions: Path | None
    model: str | None
    url: str
    output: Path | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    read_as: dict[str, Format]


@dataclass(frozen=True)
class Start:
    """A first trial, its files, and the documents that it is about."""

    file: Path
    questions: Path
    read: ReadDocuments
    asked: Asked
    starter: Starter

    def write(self) -> None:
        """Write the trial file and the questions; what cannot be written is a `DataError`."""
        from ragtrial.errors import DataError
        from ragtrial.questions.write import questions_text

        folder = self.file.parent
        texts = ((self.questions, questions_text(self.asked.questions)), (self.file, self.starter.toml()))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in texts:
                part = file.with_name(f"{file.name}.part")
                part.write_text(text, encoding="utf-8", newline="\n")
                part.replace(file)
        except OSError as error:
            raise DataError(f"Cannot write into {folder}: {error.strerror or error}.") from error


def begin(given: Given) -> Start:
    """Read the documents, get questions and write both files; everything that was found or left out is said."""
    trial, questions = _files_of(given.output, given.docs)
    # What the trial writes must not become a document of its next run.
    own = (pattern for path in given.docs for pattern in _own_files(trial.parent, Path(path)))
    exclude = (*given.exclude, *own)
    read = _read(given, exclude)
    asked = ask(read.documents, given.questions, given.model, given.url, trial.parent)
    for line in (*asked.lines, *_left_out()):
        click.echo(line, err=True)
    start = Start(trial, questions, read, asked, _starter(given, exclude, trial.parent, asked))
    start.write()
    return start


def _files_of(output: Path | None, documents: Sequence[str]) -> tuple[Path, Path]:
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


def _read(given: Given, exclude: Sequence[str]) -> ReadDocuments:
    """Read the documents, and say what was found and what was not read."""
    from ragtrial.documents.folder import read_folder
    from ragtrial.documents.sphinx import text_sources
    from ragtrial.documents.survey import survey
    from ragtrial.trial.corpus import ReadDocuments

    folder = read_folder(given.docs, include=given.include, exclude=exclude, read_as=given.read_as)
    documents = tuple(folder)
    for line in (*_skipped(folder.skipped), *_of_other_kinds(folder.other), *survey(documents).lines()):
        click.echo(line, err=True)
    if (sources := text_sources(documents, folder.roots)) is not None:
        click.echo(sources.sentence(READ_AS), err=True)
    return ReadDocuments(documents, folder.skipped)


def _left_out() -> list[str]:
    """Name the arms and retrievers that are not tried, each with the command that installs what it needs."""
    from ragtrial.trial.starter import missing_extras

    return [
        f"Left out {name}, which needs: pip install 'ragtrial[{extra}]'" for name, extra in missing_extras().items()
    ]


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


def _starter(given: Given, exclude: Sequence[str], folder: Path, asked: Asked) -> Starter:
    """Return the first trial, with paths as the trial file's folder sees them."""
    from ragtrial.trial.starter import Starter

    return Starter.of(
        f"First trial of {Path(given.docs[0]).resolve().name}",
        [_seen_from(folder, Path(path)) for path in given.docs],
        "questions.jsonl",
        include=given.include,
        exclude=exclude,
        read_as=given.read_as,
        alternatives=any(len(question.annotators) > 1 for question in asked.questions),
    )


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
