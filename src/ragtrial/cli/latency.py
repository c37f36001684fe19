"""``ragtrial latency``: what a query costs under each condition of a trial, on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from ragtrial.cli.output import threads_option

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for latency.json. [default: the trial's record, ragtrial-runs/NAME]",
)
@click.option("--questions", type=click.IntRange(min=1), default=100, show_default=True, help="How many to ask.")
@click.option(
    "--sample", type=click.IntRange(min=1), default=256, show_default=True, help="Texts to embed for an index's time."
)
@threads_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(trial: Path, output: Path | None, questions: int, sample: int, as_json: bool) -> None:
    """Measure index time and size, and the time of one question, for each condition of the trial file TRIAL.

    Nothing is taken from the cache of vectors and scores. The result is written beside the
    record, whose tables it does not change, and the report shows it.
    """
    import json

    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.report.latency import latency_table
    from ragtrial.report.terminal import print_table
    from ragtrial.trial.build import build_arms
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.latency import LATENCY_NAME, measure_latency
    from ragtrial.trial.record import write_json
    from ragtrial.trial.setup import Setup

    read = Trial.read(trial)
    corpus = load_corpus(read)
    progress = progress_bars()
    built = build_arms(corpus, read.arms, progress)
    setup = Setup(read, corpus, {contrast.name: contrast.tier for contrast in read.contrasts})
    found = measure_latency(setup, built, questions=questions, sample=sample, progress=progress)
    folder = output or Path("ragtrial-runs") / trial.stem
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / LATENCY_NAME, found)
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        print_table(latency_table(found), tell())
        click.echo(f"Written to {folder / LATENCY_NAME}.", err=True)
