"""``ragtrial run``: a trial file to its record."""

from __future__ import annotations

from pathlib import Path

import click

from ragtrial.cli.output import threads_option

__all__ = ["command"]


@click.command()
@click.argument("trial", type=click.Path(path_type=Path))
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The record's folder. [default: ragtrial-runs/NAME, after the trial file]",
)
@threads_option
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that score.")
@click.option("--json", "as_json", is_flag=True, help="Print the contrasts as JSON instead of tables.")
def command(trial: Path, output: Path | None, workers: int, as_json: bool) -> None:
    """Run the trial file TRIAL and write its record.

    A run that was stopped goes on where it stood when the same command is given again,
    and ends with the same tables, byte for byte.
    """
    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.terminal import print_record
    from ragtrial.trial.config import Trial
    from ragtrial.trial.run import run

    folder = output or Path("ragtrial-runs") / trial.stem
    record = run(Trial.read(trial), folder, workers=workers, progress=progress_bars())
    write_markdown(record)
    if as_json:
        click.echo((record.folder / "contrasts.json").read_text(encoding="utf-8"), nl=False)
    else:
        print_record(record, tell())
