"""``ragtrial demo``: a small real trial that needs nothing but the package."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("ragtrial-runs/demo"),
    show_default=True,
    help="The record's folder.",
)
def command(output: Path) -> None:
    """Run a small real trial: 12 research papers with questions that people asked and answered.

    Nothing is downloaded and no model is called. The trial file that it runs is
    copied into the record's folder as a start for your own.
    """
    from importlib.resources import as_file, files

    from ragtrial.cli.output import progress_bars, talk, tell
    from ragtrial.datasets.demo import ATTRIBUTION
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.terminal import print_record
    from ragtrial.trial.config import Trial
    from ragtrial.trial.run import run

    packed = files("ragtrial.datasets") / "samples" / "demo.toml"
    with as_file(packed) as path:
        trial = Trial.read(path)
    record = run(trial, output, progress=progress_bars())
    write_markdown(record)
    copy = output / "trial.toml"
    if not copy.exists():
        # A start for the user's own trial, who may have begun to edit it.
        copy.write_bytes(packed.read_bytes())
    talk().print(f"Data: {ATTRIBUTION}", markup=False)
    print_record(record, tell())
