"""``ragtrial explain``: one question of a record."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.argument("question")
def command(record: Path, question: str) -> None:
    """Show QUESTION, an id of RECORD: its evidence, and what each condition retrieved and found."""
    from ragtrial.cli.output import tell
    from ragtrial.report.explain import explain_tables
    from ragtrial.report.terminal import print_tables
    from ragtrial.report.views import Views
    from ragtrial.trial.record import Record

    print_tables(explain_tables(Views(Record.open(record)).of(question)), [], tell())
