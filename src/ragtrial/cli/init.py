"""``ragtrial init``: a trial file and questions for a folder, and nothing run."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@click.option("--questions", type=click.Path(path_type=Path), help="Your questions, in any known format.")
@click.option("--model", help="A language model that writes the questions.")
@click.option("--url", default="openai", show_default=True, help="Its server: a short name such as ollama, or a URL.")
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Folder to write. [default: NAME-trial]"
)
@click.option("--include", multiple=True, metavar="PATTERN", help="Only files that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Not files that match; repeatable.")
def command(
    docs: tuple[str, ...],
    questions: Path | None,
    model: str | None,
    url: str,
    output: Path | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> None:
    """Write trial.toml and questions.jsonl for the documents DOCS, to be edited and run.

    Questions are those you give, else those of a model you name, else those harvested from the
    documents' own links.
    """
    from ragtrial.cli.starting import ask, files_of, read_documents, say_what_is_left_out, starter_for, write_files

    trial, file = files_of(output, docs)
    asked = ask(read_documents(docs, include, exclude), questions, model, url, trial.parent)
    write_files(starter_for(docs, trial, asked, include, exclude), trial, file, asked)
    for line in asked.lines:
        click.echo(line, err=True)
    say_what_is_left_out()
    click.echo(f"{trial}\n{file}")
    click.echo(f"Next: read both, then 'ragtrial check {trial}' and 'ragtrial run {trial}'.", err=True)
