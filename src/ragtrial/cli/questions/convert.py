"""``ragtrial questions convert``: questions of another tool to ours, located."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ragtrial.cli.reading import reading_options

__all__ = ["command"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write; standard output if absent."
)
@reading_options
def command(file: Path, docs: tuple[str, ...], output: Path | None, **how: Any) -> None:
    """Write the questions of FILE as JSON lines, with the exact place of their evidence in the documents DOCS.

    FILE may be of BEIR (a folder), SQuAD, QASPER, FreshStack, RAGAS, AutoRAG, mdkeychunker,
    chunklab or context-grid, a table, or ours.
    """
    from ragtrial.cli.questions.files import write_or_print
    from ragtrial.documents.folder import read_folder
    from ragtrial.questions.load import read_questions
    from ragtrial.questions.write import questions_text

    reading = read_questions(file, list(read_folder(docs, **how)))
    write_or_print(questions_text(reading.questions), output)
    click.echo(f"{len(reading.questions):,} questions ({reading.format}).", err=True)
    for item in reading.excluded:
        click.echo(f"Left out {item.id} ({item.where}): {item.reason}", err=True)
    if reading.unread:
        click.echo(f"Columns that mean nothing here: {', '.join(reading.unread)}", err=True)
