"""``ragtrial questions review``: what a person decided about generated questions."""

from __future__ import annotations

import json
from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("sheet", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the questions that are left to this file."
)
@click.option("--keep-undecided", is_flag=True, help="Keep questions that nobody decided about.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(sheet: Path, output: Path | None, keep_undecided: bool, as_json: bool) -> None:
    """Count the decisions in SHEET, such as questions.review.jsonl, and apply them.

    Each line of the sheet is a question with the words of its evidence. Write "accept", "edit"
    or "reject" under "decision", a better question under "edited", and why under "note".
    Beside the output lies NAME.decisions.json, which records every decision.
    """
    from ragtrial.trial.generation import apply_review

    report = apply_review(sheet, output, keep_undecided=keep_undecided)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    counts = ", ".join(f"{count:,} {word}" for word, count in report["decisions"].items())
    click.echo(f"{report['questions']:,} questions: {counts}.")
    for item in report["leaks"]:
        click.echo(f"{item['id']}: the edited question would not pass the filter ({item['leak']}).", err=True)
    if output is not None:
        click.echo(f"Wrote {report['kept']:,} questions to {output}.", err=True)
    elif report["decisions"].get("undecided"):
        click.echo("Give --output to write the questions that are left; undecided ones are out.", err=True)
