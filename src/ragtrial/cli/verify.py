"""``ragtrial verify``: an outsider's check of a record, or of a replication with the records of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragtrial.trial.record import Record

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option(
    "--plan", type=click.Path(path_type=Path), help="The published plan that the record is to be held against."
)
def command(record: Path, plan: Path | None) -> None:
    """Check the RECORD: its files, its plan, and every number and verdict, made again from its own tables.

    RECORD may be the output of 'ragtrial replicate': then the record of every part is checked, and the comparison
    with the paper is made again, families adjusted over all parts. Exits with 3 and names each fault, with the file,
    the key and both values, if anything does not hold.
    """
    from ragtrial.errors import RecordError
    from ragtrial.replications.run import COMPARISON_NAME

    faults, held = _replication(record, plan) if (record / COMPARISON_NAME).exists() else _record(record, plan)
    if faults:
        listed = "\n".join(f"  {fault}" for fault in faults)
        places = "one place" if len(faults) == 1 else f"{len(faults):,} places"
        raise RecordError(f"{record} does not hold in {places}:\n{listed}")
    click.echo(f"{record} holds: {held}.")


def _record(folder: Path, plan: Path | None) -> tuple[list[str], str]:
    from ragtrial.trial.plan import Plan
    from ragtrial.trial.record import Record
    from ragtrial.trial.verify import verify_record

    opened = Record.open(folder)
    # What a report says is told where it alone differs: of a record that does not hold it could not be right.
    faults = verify_record(opened, None if plan is None else Plan.read(plan)) or list(_report_faults(opened))
    frozen = opened.header["plan"]
    under = "without a plan, so all rows are exploratory"
    if frozen is not None:
        under = f"under the plan {frozen['sha256']} of {frozen['created']} and {len(frozen['amendments'])} amendments"
    if faults:
        return faults, ""
    return [], (
        f"{len(opened.header['files'])} files, {len(opened.contrasts)} contrasts made again from "
        f"{opened.scores.height:,} scores, {under}"
    )


def _replication(folder: Path, plan: Path | None) -> tuple[list[str], str]:
    from ragtrial.errors import UsageError
    from ragtrial.replications.verify import read_comparison, verify_replication
    from ragtrial.report.replication import comparison_markdown
    from ragtrial.trial.record import Record

    if plan is not None:
        raise UsageError(
            f"{folder} is a replication, and each of its parts has a plan of its own.",
            hint=f"Hold one part against its plan: ragtrial verify {folder / 'PART' / 'record'} --plan FILE",
        )
    comparison = read_comparison(folder)
    if faults := verify_replication(folder):
        return faults, ""
    for part in comparison["parts"]:
        faults += [f"{part}: {fault}" for fault in _report_faults(Record.open(folder / part / "record"))]
    faults += _line_faults(folder / "comparison.md", comparison_markdown(comparison))
    return faults, (
        f"{', '.join(comparison['parts'])}; {len(comparison['contrasts'])} rows beside the paper and "
        f"{len(comparison['families'])} members of families, adjusted over all parts, made again"
    )


def _report_faults(record: Record) -> Iterator[str]:
    """Yield how ``report.md`` differs from what the record gives, if this version of ragtrial wrote it."""
    from ragtrial import __version__
    from ragtrial.errors import RagtrialError
    from ragtrial.report.markdown import render_markdown

    path = record.folder / "report.md"
    if not path.exists():
        return
    if record.header["package"] != __version__:
        said = f"{path.name} is of ragtrial {record.header['package']}, and is not made again by {__version__}."
        click.echo(said, err=True)
        return
    try:
        made = render_markdown(record)
    except (RagtrialError, KeyError, TypeError, ValueError) as error:
        yield f"{path.name} cannot be made again: {error}"
    else:
        yield from _line_faults(path, made)


def _line_faults(path: Path, made: str) -> Iterator[str]:
    """Yield the first line in which a text differs from the same text made again."""
    if not path.exists():
        return
    # What cannot be encoded was written as a question mark.
    made = made.encode("utf-8", "replace").decode("utf-8")
    stored = path.read_bytes().decode("utf-8", "replace")
    if stored == made:
        return
    pairs = enumerate(zip_longest(stored.split("\n"), made.split("\n")), start=1)
    number, (before, after) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
    yield f"{path.name}: line {number} is {before!r}, and {after!r} when it is made again"
