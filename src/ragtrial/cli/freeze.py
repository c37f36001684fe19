"""``ragtrial freeze``: the plan of a trial, before any outcome."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.option(
    "--seen", default="nothing", show_default=True, help="What outcomes on this data had been seen, in words."
)
@click.option("--git-tag", metavar="NAME", help="Also make an annotated git tag with the plan's sha256.")
def command(trial: Path, seen: str, git_tag: str | None) -> None:
    """Freeze the plan of the trial file TRIAL in plan.lock.json beside it.

    The plan holds every parameter and the sha256 of every document and question. From
    then on, a run of this trial that differs in anything is refused. An existing plan is
    never overwritten. Publish the printed sha256 elsewhere to prove when the plan existed.
    """
    from ragtrial.errors import UsageError
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.frozen import planned_setup
    from ragtrial.trial.plan import freeze

    read = Trial.read(trial)
    plan = freeze(planned_setup(read, load_corpus(read)), seen=seen)
    click.echo(f"{plan.path}\nsha256 {plan.sha256}")
    if git_tag is None:
        return
    message = f"ragtrial plan {plan.path.name} sha256 {plan.sha256}"
    done = subprocess.run(  # noqa: S603  # the user's own git, on the user's word
        ["git", "-C", str(plan.path.parent.resolve()), "tag", "-a", git_tag, "-m", message],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UsageError(f"The plan is frozen, but git made no tag: {done.stderr.strip()}.")
    click.echo(f"tag {git_tag}")
