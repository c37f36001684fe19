"""``ragtrial verify``: an outsider's check of a record."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option(
    "--plan", type=click.Path(path_type=Path), help="The published plan that the record is to be held against."
)
def command(record: Path, plan: Path | None) -> None:
    """Check the RECORD: its files, its plan, and every number and verdict, made again from the scores.

    Exits with 3 and names each fault if anything does not hold.
    """
    from ragtrial.errors import RecordError
    from ragtrial.trial.plan import Plan
    from ragtrial.trial.record import Record
    from ragtrial.trial.verify import verify_record

    opened = Record.open(record)
    faults = verify_record(opened, None if plan is None else Plan.read(plan))
    if faults:
        listed = "\n".join(f"  {fault}" for fault in faults)
        raise RecordError(f"{record} does not hold in {len(faults):,} places:\n{listed}")
    frozen = opened.header["plan"]
    under = "without a plan, so all rows are exploratory"
    if frozen is not None:
        under = f"under the plan {frozen['sha256']} of {frozen['created']} and {len(frozen['amendments'])} amendments"
    click.echo(
        f"{record} holds: {len(opened.header['files'])} files, {len(opened.contrasts)} contrasts made again from "
        f"{opened.scores.height:,} scores, {under}."
    )
