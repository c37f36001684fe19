"""A trial from start to record: load, hold against the plan, build, score, analyse, write.

Every condition is written when it is scored, under a name made of everything it
depends on, so a run that was stopped goes on where it stood and ends with the
same bytes as one that was not.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ragtrial import __version__
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.errors import DataError, RecordError
from ragtrial.measures.evidence import Gold
from ragtrial.prefixes.placebo import Placebo
from ragtrial.retrievers.sources import Sources
from ragtrial.trial import tables
from ragtrial.trial.analyse import analyse
from ragtrial.trial.build import Built, build_arms
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Pools, load_corpus
from ragtrial.trial.frozen import Frozen, hold_against_plan
from ragtrial.trial.fusions import compare_fusions, fused_parts
from ragtrial.trial.grid import grid_rows
from ragtrial.trial.hashing import sha256
from ragtrial.trial.ladders import climb_ladders
from ragtrial.trial.progress import Progress, silent
from ragtrial.trial.record import RECORD_VERSION, Record, file_sha256, write_json, write_parquet
from ragtrial.trial.score import Condition, score_condition
from ragtrial.trial.scores import Scores
from ragtrial.trial.setup import Setup
from ragtrial.trial.soundness import doubts_before, doubts_from_scores
from ragtrial.trial.work import map_tasks

__all__ = ["run"]


def run(trial: Trial, output: str | Path, *, workers: int = 1, progress: Progress = silent) -> Record:
    """Run a trial and return its record.

    If a plan is frozen beside the trial file, the run is held against it before anything is
    built, and its contrasts get the tiers that the plan gives them.

    Parameters
    ----------
    trial : Trial
    output : path
        The record's folder. A finished record of the same trial on the same inputs is
        returned as it is; an unfinished one is finished; one of another trial raises `RecordError`.
    workers : int
        Processes to score conditions in; results do not depend on it.
    progress : callable, optional
        Told about stages and steps.

    Raises
    ------
    RecordError
        The trial differs from its plan; every differing path is named and nothing is built.
    """
    folder = Path(output)
    with progress("Reading", 1) as step:
        corpus = load_corpus(trial)
        step()
    frozen = hold_against_plan(trial, corpus)
    setup = Setup(trial, corpus, frozen.tiers)
    identity = sha256(
        {"version": RECORD_VERSION, "inputs": setup.inputs, "effective": setup.effective, "plan": frozen.identity}
    )
    if (done := _finished(folder, identity)) is not None:
        return done
    parts = _make(folder / "parts")
    built = build_arms(corpus, trial.arms, progress)
    scored = replace(setup, corpus=built.corpus)
    scores = _score(scored, built, parts, workers, progress)
    write_parquet(folder / "rankings.parquet", tables.ranking_parts(parts, _keys(scored).values()))
    _write(folder, identity, setup, built, frozen, scores)
    shutil.rmtree(parts)
    return Record.open(folder)


def _finished(folder: Path, identity: str) -> Record | None:
    if not (folder / "record.json").exists():
        return None
    record = Record.open(folder)
    if record.header["trial"] != identity:
        raise RecordError(
            f"{folder} holds the record of another trial, or of this one on other documents, questions or plan.",
            hint="Choose another --output, or remove that folder if nobody needs it.",
        )
    if damaged := record.damaged_files():
        raise RecordError(
            f"The record {folder} is damaged: {'; '.join(damaged)}.",
            hint="Remove the folder, or choose another --output, and run the trial again.",
        )
    # A run that died after its last file left its parts behind.
    shutil.rmtree(folder / "parts", ignore_errors=True)
    return record


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {folder}: {error.strerror or error}.") from error
    return folder


def _score(setup: Setup, built: Built, parts: Path, workers: int, progress: Progress) -> Scores:
    keys = _keys(setup)
    missing = [cell for cell, key in keys.items() if not tables.has_part(parts, key)]
    with progress("Scoring", len(missing)) as step:
        results = map_tasks(score_condition, _conditions(setup, built.chunks, missing), workers)
        for cell, scored in zip(missing, results, strict=True):
            ranking = tables.ranking_table(setup.corpus.questions, cell, built.chunks[cell[0]], scored.ranking)
            tables.write_part(parts, keys[cell], scored.values, ranking)
            step()
    questions = setup.corpus.questions
    stratified = any(question.stratum is not None for question in questions)
    return Scores(
        questions=[question.id for question in questions],
        documents=[question.document for question in questions],
        clusters=[question.cluster for question in questions],
        strata=[question.stratum or "" for question in questions] if stratified else None,
        measures=setup.effective["measures"],
        values={cell: tables.read_values(parts, key) for cell, key in keys.items()},
    )


def _keys(setup: Setup) -> dict[tuple[str, str], str]:
    return {cell: setup.condition_key(*cell) for cell in setup.trial.cells}


def _conditions(setup: Setup, chunk_sets: Mapping[str, ChunkSet], cells: list[tuple[str, str]]) -> Iterator[Condition]:
    corpus = setup.corpus
    pools = Pools.of(setup.pool, corpus.documents, corpus.questions)
    gold = tuple(Gold.of(question.evidence_groups, setup.words) for question in corpus.questions)
    queries = tuple(question.text for question in corpus.questions)
    measures = setup.trial.all_measures
    gold_spans = corpus.gold_spans() if any(measure.needs_spans for measure in measures) else ()
    sources = {arm: Sources.of(chunk_sets[arm]) for arm in dict.fromkeys(arm for arm, _ in cells)}
    for arm, retriever in cells:
        chunks = chunk_sets[arm]
        yield Condition(
            retriever=setup.trial.retrievers[retriever],
            texts=chunks.texts,
            prefixes=chunks.prefixes,
            joiner=chunks.joiner,
            sources=sources[arm],
            chunk_pools=pools.of_documents[chunks.document],
            queries=queries,
            query_pools=pools.of_questions,
            gold=gold,
            gold_spans=gold_spans,
            measures=measures,
            words=setup.words,
            keep=setup.trial.keep,
        )


def _write(folder: Path, identity: str, setup: Setup, built: Built, frozen: Frozen, scores: Scores) -> None:  # noqa: PLR0917
    """Write the record; its header comes last and holds the sha256 of every other file."""
    means, contrasts = analyse(setup.effective, scores)
    fused = fused_parts(setup.trial.retrievers)
    write_parquet(folder / "scores.parquet", tables.scores_table(scores))
    write_json(folder / "contrasts.json", contrasts)
    summary = built.corpus.summary()
    write_json(folder / "grid.json", grid_rows(setup.effective, summary["question_types"], scores))
    copies = frozen.copy_into(folder)
    names = ("scores.parquet", "rankings.parquet", "contrasts.json", "grid.json", *copies)
    header = {
        "version": RECORD_VERSION,
        "package": __version__,
        "trial": identity,
        "title": setup.trial.title,
        "plan": frozen.identity,
        "given": setup.trial.given,
        "effective": setup.effective,
        "inputs": setup.inputs,
        "source": setup.corpus.source,
        "corpus": summary | {"failed_documents": dict(built.failed)},
        "strata": None if scores.strata is None else dict(zip(scores.questions, scores.strata, strict=True)),
        "arms": [_arm_row(setup, built, name) for name in built.chunks],
        "conditions": means,
        "fused": fused,
        "fusions": compare_fusions(setup.effective, fused, scores),
        "ladders": climb_ladders(setup.effective, scores),
        "doubts": [*doubts_before(setup, built), *doubts_from_scores(contrasts, scores)],
        "files": {name: file_sha256(folder / name) for name in names},
    }
    write_json(folder / "record.json", header)


def _arm_row(setup: Setup, built: Built, name: str) -> dict[str, Any]:
    chunks = built.chunks[name]
    lengths = [len(text) for text in chunks.texts]
    placebos = [asdict(step.report(chunks)) for step in built.arms[name].steps if isinstance(step, Placebo)]
    return {
        "arm": name,
        "given": str(setup.trial.arms[name]),
        "effective": str(built.arms[name]),
        "chunks": len(chunks),
        "documents": len(np.unique(chunks.document)),
        "median_characters": float(np.median(lengths)),
        "mean_characters": float(np.mean(lengths)),
        "placebos": placebos,
    }
