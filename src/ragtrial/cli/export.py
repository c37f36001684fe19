"""``ragtrial export``: a record in other programs' formats."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option(
    "--to", "kind", required=True, help="csv, json, latex, markdown, parquet or trec; or figures as svg, pdf or png."
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write into. [default: RECORD/export/FORMAT]",
)
def command(record: Path, kind: str, output: Path | None) -> None:
    """Write RECORD in another format, and print the paths of the files.

    trec writes a run for each condition and judgements for each arm, as trec_eval reads them.
    """
    from ragtrial.report.exports.write import export
    from ragtrial.trial.record import Record

    for path in export(Record.open(record), kind, output or record / "export" / kind):
        click.echo(path)
