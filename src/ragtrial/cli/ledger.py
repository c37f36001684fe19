"""``ragtrial ledger``: what was paid to language models."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ragtrial.llm.summary import By, Spent

__all__ = ["command"]

_PICO = 10**12


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--by",
    type=click.Choice(["arm", "day", "model", "step"]),
    default="arm",
    show_default=True,
    help="What to add up by; days are those of UTC.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: Path | None, by: By, as_json: bool) -> None:
    """Add up what was paid to language models: calls, tokens and dollars.

    FILE is a ledger; by default it is the one that RAGTRIAL_LEDGER names, else
    ragtrial-runs/ledger.jsonl.
    """
    from ragtrial.llm.settings import ledger_file
    from ragtrial.llm.summary import spent_by, total_of

    path = file or ledger_file()
    groups = spent_by(path, by)
    if as_json:
        rows = [_dollars(group) for group in groups]
        click.echo(json.dumps({"ledger": str(path), "by": by, "groups": rows}, ensure_ascii=False))
        return
    total = total_of(groups)
    wide = max((len(group.name) for group in groups), default=0)
    click.echo(f"{by:<{max(wide, 5)}}  {'calls':>9}  {'tokens in':>13}  {'tokens out':>12}  {'dollars':>12}")
    for group in [*groups, total]:
        click.echo(
            f"{group.name or '-':<{max(wide, 5)}}  {group.calls:>9,}  {group.input_tokens:>13,}  "
            f"{group.output_tokens:>12,}  {group.picodollars / _PICO:>12,.6f}"
        )
    if total.unpriced:
        click.echo(f"The price of {total.unpriced:,} calls is not known; write it into prices.toml.", err=True)
    if total.unclear:
        most = total.picodollars_unclear / _PICO
        click.echo(
            f"{total.unclear:,} more calls brought no answer and may have been paid: at most ${most:,.6f}, "
            "which counts towards the cap.",
            err=True,
        )


def _dollars(group: Spent) -> dict[str, object]:
    row = asdict(group)
    paid, unclear = row.pop("picodollars"), row.pop("picodollars_unclear")
    return row | {"dollars": paid / _PICO, "dollars_unclear": unclear / _PICO}
