"""``ragtrial check``: all faults of a trial at once, and what it could show."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.option("--pilot", type=click.Path(path_type=Path), help="A record whose scores tell the spread of differences.")
def command(trial: Path, pilot: Path | None) -> None:
    """List all faults of the trial file TRIAL at once, with file and line, and say what the trial could show.

    Documents and questions are read and chunks are made, but nothing is ranked or
    scored, so no outcome is seen, and no language model is asked, so nothing is paid. Doubts
    are printed and do not fail the check.
    """
    from ragtrial.cli.output import progress_bars
    from ragtrial.llm.rehearsal import Rehearsal
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.estimate.calls import build_unasked
    from ragtrial.trial.frozen import hold_against_plan
    from ragtrial.trial.outlook import outlooks
    from ragtrial.trial.record import Record
    from ragtrial.trial.setup import Setup
    from ragtrial.trial.soundness import doubts_before

    read = Trial.read(trial)
    corpus = load_corpus(read)
    setup = Setup(read, corpus, hold_against_plan(read, corpus).tiers)
    rehearsal = Rehearsal(lavish=False)
    built = build_unasked(corpus, read.arms, rehearsal, progress_bars())
    counts = corpus.summary()
    click.echo(
        f"{trial}: no fault. {counts['questions']:,} questions in {counts['clusters']:,} clusters on "
        f"{counts['documents']:,} documents; {len(corpus.excluded):,} questions excluded, "
        f"{len(corpus.skipped):,} files skipped."
    )
    for name, chunks in built.chunks.items():
        click.echo(f"  arm {name}: {len(chunks):,} chunks ({built.arms[name]})")
    if rehearsal.lines:
        click.echo("  No model was asked: replies that are not kept are made-up replies. See 'ragtrial estimate'.")
    for outlook in outlooks(setup, None if pilot is None else Record.open(pilot)):
        click.echo(f"  {outlook.sentence()}")
    for doubt in doubts_before(setup.effective, built):
        click.echo(f"Doubt: {doubt}")
