"""``ragtrial chunk``: an arm alone, without any trial, as JSON lines."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ragtrial.cli.output import cap_option
from ragtrial.cli.reading import READ_AS, reading_options

if TYPE_CHECKING:
    from ragtrial.chunkers.chunkset import ChunkSet
    from ragtrial.documents.formats import Format
    from ragtrial.documents.model import Document
    from ragtrial.errors import FailedDocumentsError
    from ragtrial.trial.arms import Arm

__all__ = ["command"]

_AT_A_TIME = 32
"""Documents held at a time where a model is asked: more than are worked on at once, so that none waits for another."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--arm", "spec", default="headers", show_default=True, help="How to cut, such as 'headers(max=1000) + path'."
)
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write; standard output if absent."
)
@reading_options
@click.option("--encoding", help="Encoding of all files; by default each file's is found out.")
@click.option("--reader", help="Read PATH with the reader of a data set, such as 'qasper', instead of as a folder.")
@click.option("--protocol", help="The protocol of that reader, such as 'mdk'.")
@click.option("--select", help="A file with the document ids that the reader is to take, one a line.")
@cap_option
def command(
    paths: tuple[str, ...],
    spec: str,
    output: Path | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    read_as: dict[str, Format],
    encoding: str | None,
    reader: str | None,
    protocol: str | None,
    select: str | None,
) -> None:
    """Cut documents into chunks and write them as JSON lines.

    Each line has document, index, text, path, spans (half-open character ranges of the
    document), tokens (cl100k_base), prefix where the arm puts text before a chunk, and
    fields where a step generates any. Documents are read one at a time, or a few where a
    model is asked, so memory does not grow with the folder.

    What a language model answers is kept: the same command given again goes on where it was
    stopped, and after a change asks only about the documents that changed. A document that
    a model could not be asked about is named and left out, and the exit code is 1. Chunks
    of which no reply could be read are kept without fields, and counted.
    """
    from ragtrial.chunkers.shortfalls import shortfalls
    from ragtrial.trial.arms import Arm

    _check_options(
        reader,
        {"--protocol": protocol, "--select": select},
        {"--include": include, "--exclude": exclude, READ_AS: read_as, "--encoding": encoding},
    )
    arm = Arm.of(spec)
    if reader is not None:
        documents: Iterable[Document] = _dataset(paths, reader, protocol, select)
        skipped: list[str] = []
    else:
        from ragtrial.documents.folder import read_folder

        folder = read_folder(paths, include=include, exclude=exclude, encoding=encoding, read_as=read_as)
        documents, skipped = folder, []
    failed: dict[str, str] = {}
    reports: list[Sequence[Mapping[str, Any]]] = []
    with _target(output) as target, _progress(arm, documents):
        count, chunks = _write(arm.fit(documents), documents, target, failed, reports)
    if reader is None:
        skipped = [f"{item.path}: {item.cause}" for item in folder.skipped]
    for line in skipped:
        click.echo(f"Skipped {line}", err=True)
    parts = [(chunks, "chunk"), (count, "document"), (len(skipped), "skipped file")]
    made, read, left = (f"{number:,} {what}{'' if number == 1 else 's'}" for number, what in parts)
    click.echo(f"{made} from {read}{f', {left}' if skipped else ''}.", err=True)
    for sentence in shortfalls(reports):
        click.echo(f"Doubt: {sentence}", err=True)
    _tell_failed(failed, asked=arm.asks_model)


def _check_options(reader: str | None, of_readers: dict[str, object], of_folders: dict[str, object]) -> None:
    from ragtrial.errors import UsageError

    for name, value in (of_folders if reader else of_readers).items():
        if value:
            what = f"means nothing to the reader {reader!r}" if reader else "needs --reader"
            raise UsageError(f"The option {name} {what}.")


def _dataset(paths: tuple[str, ...], reader: str, protocol: str | None, select: str | None) -> Iterable[Document]:
    from ragtrial.datasets.registry import load_dataset
    from ragtrial.errors import UsageError

    if len(paths) != 1:
        raise UsageError(f"The reader {reader!r} takes one PATH, not {len(paths)}.")
    options = {"path": paths[0], "protocol": protocol, "select": select}
    return load_dataset(reader, **{key: value for key, value in options.items() if value is not None}).documents


def _write(
    arm: Arm,
    documents: Iterable[Document],
    target: TextIO,
    failed: dict[str, str],
    reports: list[Sequence[Mapping[str, Any]]],
) -> tuple[int, int]:
    """Write the chunks; return how many documents they are of, and how many they are.

    Failed documents and what the steps counted are added to the last two.
    """
    count = chunks = 0
    for batch in _batches(arm, documents):
        built = _build(arm, batch, failed)
        if built.reports:
            reports.append(built.reports)
        count += len(built.documents)
        for chunk in built:
            chunks += 1
            target.write(json.dumps(chunk.to_dict(), ensure_ascii=False) + "\n")
    if failed and not count:
        _tell_failed(failed, asked=arm.asks_model)
    return count, chunks


def _batches(arm: Arm, documents: Iterable[Document]) -> Iterator[list[Document]]:
    # A step such as placebo takes from other documents: such an arm is built whole.
    if any(step.corpus_wide for step in arm.steps):
        yield list(documents)
        return
    size = _AT_A_TIME if arm.asks_model else 1
    batch: list[Document] = []
    for document in documents:
        batch.append(document)
        del document  # or it would live on while the next one is read
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _build(arm: Arm, documents: list[Document], failed: dict[str, str]) -> ChunkSet:
    from ragtrial.errors import FailedDocumentsError

    while True:
        try:
            return arm.build(documents)
        except FailedDocumentsError as error:
            # What was answered for the others is known, and not asked again.
            failed |= error.failed
            documents = [document for document in documents if document.id not in failed]


@contextmanager
def _progress(arm: Arm, documents: Iterable[Document]) -> Iterator[None]:
    """Show how many documents a model was asked about, where that is known."""
    asking = arm.chunker.asks_model + sum(step.asks_model for step in arm.steps)
    if not asking or not isinstance(documents, Sized):
        yield
        return
    from ragtrial.chunkers.asking import watching
    from ragtrial.cli.output import progress_bars

    with progress_bars()("Asking", asking * len(documents)) as done, watching(done):
        yield


def _tell_failed(failed: dict[str, str], *, asked: bool) -> None:
    if failed:
        for document, reason in failed.items():
            click.echo(f"Failed {document}: {reason}", err=True)
        raise _failure(failed, asked=asked)


def _failure(failed: dict[str, str], *, asked: bool) -> FailedDocumentsError:
    from ragtrial.errors import FailedDocumentsError

    many, done = len(failed) > 1, "asked about" if asked else "cut"
    return FailedDocumentsError(
        f"{len(failed):,} document{'s' if many else ''} could not be {done} and {'are' if many else 'is'} not in the "
        f"output; the first: {next(iter(failed))}.",
        hint="What was answered is kept: the same command given again asks only for the rest." if asked else None,
        failed=failed,
    )


@contextmanager
def _target(output: Path | None) -> Iterator[TextIO]:
    """Open the output; a file appears whole or not at all, a pipe or device is written to."""
    if output is None:
        # Half a surrogate pair from a broken file cannot be encoded and must not end the run.
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        yield sys.stdout
        sys.stdout.flush()
        return
    from ragtrial.errors import DataError

    whole = output.is_file() or not output.exists()
    part = output.with_name(f"{output.name}.part") if whole else output
    try:
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        if whole:
            part.replace(output)
    except OSError as error:
        raise DataError(f"Cannot write {output}: {error.strerror or error}.") from error
    finally:
        if whole:
            with suppress(OSError):
                part.unlink()
