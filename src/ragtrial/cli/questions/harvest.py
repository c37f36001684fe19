"""``ragtrial questions harvest``: the links of documents to questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragtrial.cli.reading import reading_options

if TYPE_CHECKING:
    from ragtrial.documents.formats import Format

__all__ = ["command"]


@click.command()
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="File to write; standard output if absent."
)
@click.option("--mentions", is_flag=True, help="Sentences that only mention a section too: more questions, worse ones.")
@click.option(
    "--per-document", type=click.IntRange(min=1), default=10, show_default=True, help="Most about a document."
)
@click.option("--per-section", type=click.IntRange(min=1), default=2, show_default=True, help="Most about a section.")
@reading_options
def command(
    docs: tuple[str, ...],
    output: Path | None,
    mentions: bool,
    per_document: int,
    per_section: int,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    read_as: dict[str, Format],
) -> None:
    """Take questions from the links between and within the documents DOCS; no model is needed.

    A sentence that points to a section has named its own answer. What is not taken is counted by
    the rule that refuses it. Results on such questions are exploratory.
    """
    from ragtrial.cli.questions.files import write_or_print
    from ragtrial.documents.folder import read_folder
    from ragtrial.questions.links.harvest import EXPLORATORY, Rules, harvest
    from ragtrial.questions.write import questions_text

    folder = read_folder(docs, include=include, exclude=exclude, read_as=read_as)
    documents = list(folder)
    for item in folder.skipped:
        click.echo(f"Skipped {item.path}: {item.cause}", err=True)
    found = harvest(documents, Rules(mentions=mentions, per_document=per_document, per_section=per_section))
    write_or_print(questions_text(found.questions), output)
    for line in (*found.lines(), EXPLORATORY):
        click.echo(line, err=True)
