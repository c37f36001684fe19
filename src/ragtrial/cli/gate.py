"""``ragtrial gate``: an exit code for continuous integration."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--contrast", required=True, help="The name of the contrast: its A is the new index, its B the old one.")
@click.option(
    "--non-inferior", "margin", type=float, required=True, metavar="POINTS", help="How much worse is still fine."
)
def command(record: Path, contrast: str, margin: float) -> None:
    """Exit with 0 if A of a contrast in RECORD is shown to be at most so many points worse than B, else with 1.

    The test is one-sided at 5%. Too few questions to tell means 1: absence of evidence
    that the new index is worse is no evidence that it is not.
    """
    from ragtrial.trial.gate import non_inferior
    from ragtrial.trial.record import Record

    gate = non_inferior(Record.open(record), contrast, margin)
    click.echo(gate.sentence)
    click.get_current_context().exit(0 if gate.passed else 1)
