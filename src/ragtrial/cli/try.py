"""``ragtrial try``: from a folder of documents to a first table of verdicts."""

from __future__ import annotations

import shlex
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from ragtrial.cli.reading import reading_words
from ragtrial.cli.starting import Given, Start, begin, starting_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragtrial.chunkers.chunkset import ChunkSet
    from ragtrial.trial.config import Trial
    from ragtrial.trial.starter import Starter

__all__ = ["command"]

_RESERVE = 45.0
"""Seconds that are kept for everything but embedding."""

_DENSE = "dense = \"dense('minilm')\""


@click.command()
@starting_options
@click.option(
    "--minutes", type=click.FloatRange(min=0), default=5.0, show_default=True, help="Time for all; 0 leaves BM25 alone."
)
def command(minutes: float, **given: Any) -> None:
    """Try the usual indexing choices on the documents DOCS and print what differs.

    Questions are those you give, else those of a model you name, else those harvested from the
    documents' own links. Every arm is scored at the same token budgets under BM25, and under
    dense and hybrid retrieval as far as embedding fits into the time. trial.toml and
    questions.jsonl are left to go on with.
    """
    from ragtrial.cli.output import progress_bars, tell
    from ragtrial.report.markdown import write_markdown
    from ragtrial.report.terminal import print_record
    from ragtrial.trial.config import Trial
    from ragtrial.trial.corpus import load_corpus
    from ragtrial.trial.run import build, prepare, run_prepared

    began = perf_counter()
    asked_for = Given(**given)
    start = begin(asked_for)
    trial, progress = Trial.read(start.file), progress_bars()
    corpus = load_corpus(trial, start.read)
    prepared = prepare(trial, progress, corpus)
    built = build(prepared, progress)
    starter, notes = _fitted(start.starter, trial, built.chunks, minutes * 60 - (perf_counter() - began) - _RESERVE)
    for line in notes:
        click.echo(line, err=True)
    if starter != start.starter:
        start = replace(start, starter=starter)
        start.write()
        prepared = prepare(Trial.read(start.file), progress, corpus)
    record = run_prepared(prepared, start.file.parent / "record", built, progress=progress)
    write_markdown(record)
    print_record(record, tell())
    for line in _next_steps(start, asked_for):
        click.echo(line, err=True)
    click.echo(f"It took {(perf_counter() - began) / 60:.1f} minutes.", err=True)


def _fitted(
    starter: Starter, trial: Trial, chunks: Mapping[str, ChunkSet], seconds: float
) -> tuple[Starter, list[str]]:
    """Keep dense retrieval to the arms that can be embedded in the time, and say which are left out."""
    from ragtrial.retrievers.dense import Dense
    from ragtrial.trial.starter import PRIORITY
    from ragtrial.trial.time_limit import arms_that_fit

    if "dense" not in starter.retrievers:
        return starter, []
    if seconds <= 0:
        return _without_dense(starter), ["No time is left for dense retrieval: BM25 alone."]
    dense = trial.retrievers["dense"]
    assert isinstance(dense, Dense)
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


def _next_steps(start: Start, given: Given) -> list[str]:
    trial, questions, starter = start.file, start.questions, start.starter
    steps = ["Next:"]
    if given.questions is None:
        steps.append(f"- Read {questions}: delete lines that are no good question, add your users' own.")
    how = reading_words(given.include, given.exclude, given.read_as)
    check = shlex.join(["ragtrial", "questions", "check", str(questions), *given.docs, *how])
    steps.append(f"- '{check}' says what these questions can detect.")
    if starter.only:
        steps.append(f"- Take [only] out of {trial} and run it overnight: vectors so far are kept.")
    elif "dense" not in starter.retrievers:
        steps.append(f"- Give more --minutes, or add {_DENSE} under [retrievers] of {trial} and run it overnight.")
    steps.append(f"- Edit {trial}: keep the arms you would ship, then 'ragtrial freeze {trial}' before the next run.")
    return steps


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
