"""``ragtrial report``: a record to pages that people open."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("record", type=click.Path(path_type=Path))
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="The folder to write into. [default: RECORD]"
)
@click.option(
    "--price", type=click.FloatRange(min=0), help="Dollars for a million embedded tokens, for the ranking of costs."
)
@click.option(
    "--ledger",
    type=click.Path(path_type=Path),
    help="A ledger of language models; its arms' dollars are added to costs.",
)
@click.option("--answer-only", is_flag=True, help="Leave out the pages of questions and documents.")
def command(record: Path, output: Path | None, price: float | None, ledger: Path | None, answer_only: bool) -> None:
    """Write RECORD as report.html, one file that needs no network and no script.

    Beside it the folder "report" holds every question and every document with its chunk
    boundaries; report.html can be passed on without it, and then quotes no document.
    """
    from ragtrial.report.costs import Prices
    from ragtrial.report.pages.answer import write_report
    from ragtrial.trial.record import Record

    prices = Prices(price, None if ledger is None else _dollars(ledger))
    path = write_report(Record.open(record), output, prices=prices, questions=not answer_only)
    click.echo(path)


def _dollars(ledger: Path) -> dict[str, float]:
    from ragtrial.llm.prices import PICO
    from ragtrial.llm.summary import spent_by

    return {group.name: group.picodollars / PICO for group in spent_by(ledger, "arm")}
