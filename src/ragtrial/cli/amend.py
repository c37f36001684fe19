"""``ragtrial amend``: additions to a frozen plan."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.option("--reason", required=True, help="Why, in words.")
@click.option("--seen", required=True, help="What outcomes had been seen by now, in words; 'nothing' if none.")
def command(trial: Path, reason: str, seen: str) -> None:
    """Declare what the trial file TRIAL has beyond its frozen plan.

    Edit the trial file first: add arms, retrievers, measures or contrasts. The amendment
    is appended to plan.amendments.jsonl with the time and a chained sha256. Contrasts
    that are added this way are secondary, never confirmatory.
    """
    from ragtrial.errors import RecordError
    from ragtrial.trial.amendments import amend
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.frozen import planned_setup
    from ragtrial.trial.plan import Plan, plan_path

    read = Trial.read(trial)
    path = plan_path(read)
    if not path.exists():
        raise RecordError(f"There is no plan {path} to amend.", hint=f"Freeze one with: ragtrial freeze {trial}")
    entry = amend(Plan.read(path), planned_setup(read, load_corpus(read)), reason=reason, seen=seen)
    added = ", ".join(f"{table}: {', '.join(rows)}" for table, rows in entry["added"].items())
    click.echo(f"Amendment {entry['number']} adds {added}.\nsha256 {entry['sha256']}")
