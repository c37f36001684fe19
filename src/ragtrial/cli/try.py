"""``ragtrial try``: from a folder of documents to a first table of verdicts."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragtrial.trial.starter import Starter

__all__ = ["command"]

_RESERVE = 45.0
"""Seconds that are kept for everything but embedding."""

_DENSE = "dense = \"dense('minilm')\""


@click.command()
@click.argument("docs", nargs=-1, required=True, metavar="DOCS...")
@click.option("--questions", type=click.Path(path_type=Path), help="Your questions, in any known format.")
@click.option("--model", help="A language model that writes the questions.")
@click.option("--url", default="openai", show_default=True, help="Its server: a short name such as ollama, or a URL.")
@click.option(
    "--minutes", type=click.FloatRange(min=0), default=5.0, show_default=True, help="Time for all; 0 leaves BM25 alone."
)
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Folder to write. [default: NAME-trial]"
)
@click.option("--include", multiple=True, metavar="PATTERN", help="Only files that match; repeatable.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Not files that match; repeatable.")
def command(
    docs: tuple[str, ...],
    questions: Path | None,
    model: str | None,
    url: str,
    minutes: float,
    output: Path | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> None:
    """Try the usual indexing choices on the documents DOCS and print what differs.

    Questions are those you give, else those of a model you name, else those harvested from the
    documents' own links. Every arm is scored at the same token budgets under BM25, and under
    dense and hybrid retrieval as far as embedding fits into the time. trial.toml and
    questions.jsonl are left to go on with.
    """
    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.cli.starting import ask, files_of, read_documents, say_what_is_left_out, starter_for, write_files
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.terminal import print_record
    from ragtrial.trial.config import Trial
    from ragtrial.trial.run import run

    began = perf_counter()
    trial, file = files_of(output, docs)
    asked = ask(read_documents(docs, include, exclude), questions, model, url, trial.parent)
    for line in asked.lines:
        click.echo(line, err=True)
    say_what_is_left_out()
    starter = starter_for(docs, trial, asked, include, exclude)
    write_files(starter, trial, file, asked)
    left = minutes * 60 - (perf_counter() - began) - _RESERVE
    starter, notes = _fitted(starter, trial, left)
    write_files(starter, trial, file, asked)
    for line in notes:
        click.echo(line, err=True)
    record = run(Trial.read(trial), trial.parent / "record", progress=progress_bars())
    write_markdown(record)
    print_record(record, tell())
    for line in _next_steps(trial, file, docs, starter, given=questions is not None):
        click.echo(line, err=True)
    click.echo(f"It took {(perf_counter() - began) / 60:.1f} minutes.", err=True)


def _fitted(starter: Starter, trial: Path, seconds: float) -> tuple[Starter, list[str]]:
    """Keep dense retrieval to the arms that can be embedded in the time, and say which are left out."""
    from ragtrial.retrievers.dense import Dense
    from ragtrial.trial.build import build_arms
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.progress import silent
    from ragtrial.trial.starter import PRIORITY
    from ragtrial.trial.time_limit import arms_that_fit

    if "dense" not in starter.retrievers:
        return starter, []
    if seconds <= 0:
        return _without_dense(starter), ["No time is left for dense retrieval: BM25 alone."]
    read = Trial.read(trial)
    dense = read.retrievers["dense"]
    assert isinstance(dense, Dense)
    chunks = build_arms(load_corpus(read), read.arms, silent).chunks
    fit = arms_that_fit(chunks, dense.embedder(), seconds, PRIORITY)
    if not fit.left_out:
        return starter, []
    speed = "" if fit.speed is None else f" at {fit.speed:.0f} texts a second"
    rest = f"about {max(fit.rest / 60, 1):.0f}"
    if not fit.arms:
        note = f"Embedding{speed}, dense and hybrid retrieval of every arm take {rest} minutes: BM25 alone for now."
        return _without_dense(starter), [note]
    note = (
        f"Embedding{speed}, dense and hybrid retrieval fit for {_listed(fit.arms)} "
        f"(about {fit.seconds / 60:.1f} minutes), not for {_listed(fit.left_out)} ({rest} more)."
    )
    # In the order of the trial's own arms.
    arms = [arm for arm in starter.arms if arm in fit.arms]
    return replace(starter, only={"dense": arms, "hybrid": arms}), [note]


def _without_dense(starter: Starter) -> Starter:
    return replace(starter, retrievers={"bm25": starter.retrievers["bm25"]})


def _next_steps(trial: Path, questions: Path, docs: Sequence[str], starter: Starter, *, given: bool) -> list[str]:
    steps = ["Next:"]
    if not given:
        steps.append(f"- Read {questions}: delete lines that are no good question, add your users' own.")
    check = shlex.join(["ragtrial", "questions", "check", str(questions), *docs])
    steps.append(f"- '{check}' says what these questions can detect.")
    if starter.only:
        steps.append(f"- Take [only] out of {trial} and run it overnight: vectors so far are kept.")
    elif "dense" not in starter.retrievers:
        steps.append(f"- Give more --minutes, or add {_DENSE} under [retrievers] of {trial} and run it overnight.")
    steps.append(f"- Edit {trial}: keep the arms you would ship, then 'ragtrial freeze {trial}' before the next run.")
    return steps


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
