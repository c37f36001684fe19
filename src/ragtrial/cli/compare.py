"""``ragtrial compare``: several records side by side."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("records", type=click.Path(path_type=Path), nargs=-1, required=True)
def command(records: tuple[Path, ...]) -> None:
    """Compare RECORDS: what changed between runs of one trial, or whether contrasts hold on several corpora.

    Contrasts are matched by name. One corpus is not evidence for all: a contrast holds across
    corpora where its sign is the same in each and every interval excludes 0.
    """
    from ragtrial.cli.output import tell
    from ragtrial.report.compare import compare_records
    from ragtrial.report.terminal import print_tables
    from ragtrial.trial.record import Record

    tables, sentences = compare_records([Record.open(record) for record in records])
    print_tables(tables, sentences, tell())
