"""``ragtrial estimate``: what a trial would cost, before anything is spent."""

from __future__ import annotations

import json
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.option(
    "--calls-per-minute",
    type=click.FloatRange(min=0, min_open=True),
    help="How fast the language models answer. [default: as the ledger shows]",
)
@click.option(
    "--texts-per-second",
    type=click.FloatRange(min=0, min_open=True),
    help="How fast texts are embedded. [default: measured on a few, for local models]",
)
@click.option("--no-measure", is_flag=True, help="Do not measure local embedding models.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    trial: Path, calls_per_minute: float | None, texts_per_second: float | None, no_measure: bool, as_json: bool
) -> None:
    """Say what the trial file TRIAL would cost: calls, tokens, dollars, time, texts to embed.

    The arms are built with a model that asks nobody. Tokens of prompts are exact as far as they do
    not hang on earlier replies; a range goes from replies of usual length to the longest ones.
    What is kept from earlier runs is not counted.
    """
    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.report.estimate import estimate_tables
    from ragtrial.report.terminal import print_table
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.estimate.run import estimate_trial

    read = Trial.read(trial)
    estimate = estimate_trial(
        read,
        load_corpus(read),
        calls_per_minute=calls_per_minute,
        texts_per_second=texts_per_second,
        measure=not no_measure,
        progress=progress_bars(),
    )
    if as_json:
        click.echo(json.dumps(estimate.to_dict(), ensure_ascii=False))
        return
    tables = estimate_tables(estimate)
    for table in tables:
        print_table(table, tell())
    if not tables:
        click.echo("Nothing to pay for and nothing to embed: this trial costs no more than its run.")
    if estimate.cap is not None and (estimate.most_dollars is None or estimate.most_dollars > estimate.cap):
        click.echo(f"The cap of ${estimate.cap:.2f} could be reached; a run then stops, and can go on.")
    for note in estimate.notes:
        click.echo(note)
