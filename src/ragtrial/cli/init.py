"""``ragtrial init``: a trial file and questions for a folder, and nothing run."""

from __future__ import annotations

from typing import Any

import click

from ragtrial.cli.starting import Given, begin, starting_options

__all__ = ["command"]


@click.command()
@starting_options
def command(**given: Any) -> None:
    """Write trial.toml and questions.jsonl for the documents DOCS, to be edited and run.

    Questions are those you give, else those of a model you name, else those harvested from the
    documents' own links.
    """
    start = begin(Given(**given))
    click.echo(f"{start.file}\n{start.questions}")
    click.echo(f"Next: read both, then 'ragtrial check {start.file}' and 'ragtrial run {start.file}'.", err=True)
