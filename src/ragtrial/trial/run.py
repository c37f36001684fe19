"""A trial from start to record: load, build, score, analyse, write.

Every condition is written when it is scored, under a name made of everything it
depends on, so a run that was stopped goes on where it stood and ends with the
same bytes as one that was not.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ragtrial import __version__
from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.errors import DataError, RecordError
from ragtrial.measures.evidence import Gold
from ragtrial.trial import tables
from ragtrial.trial.analyse import Scores, analyse
from ragtrial.trial.arms import Arm
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus, Pools, load_corpus
from ragtrial.trial.hashing import sha256
from ragtrial.trial.record import RECORD_VERSION, Record, write_json, write_parquet
from ragtrial.trial.score import Condition, Scored, score_condition
from ragtrial.trial.work import map_tasks

__all__ = ["Progress", "run"]


class Progress(Protocol):
    """What a run tells about its progress: each stage is opened with its name and number of steps."""

    def __call__(self, stage: str, total: int) -> AbstractContextManager[Callable[[], None]]:
        """Return a context whose value is called once a step."""


def _silent(stage: str, total: int) -> AbstractContextManager[Callable[[], None]]:  # noqa: ARG001  # says nothing
    return nullcontext(lambda: None)


@dataclass(frozen=True)
class _Setup:
    """What a trial means on its corpus, all defaults filled in."""

    trial: Trial
    corpus: Corpus
    arms: Mapping[str, Arm]
    pool: str
    words: str

    @classmethod
    def of(cls, trial: Trial, corpus: Corpus) -> _Setup:
        arms = {name: arm.fit(corpus.documents) for name, arm in trial.arms.items()}
        return cls(trial, corpus, arms, trial.pool or corpus.pool, trial.words or corpus.words)

    @cached_property
    def inputs(self) -> dict[str, Any]:
        return {"package": __version__} | self.corpus.identity()

    @cached_property
    def effective(self) -> dict[str, Any]:
        trial = self.trial
        return {
            "pool": self.pool,
            "words": self.words,
            "primary": trial.primary,
            "retriever": trial.primary_retriever,
            "measures": [measure.name for measure in trial.all_measures],
            "arms": {name: arm.parameters() for name, arm in self.arms.items()},
            "retrievers": {name: retriever.parameters() for name, retriever in trial.retrievers.items()},
            "contrasts": [contrast.model_dump() for contrast in trial.contrasts],
            "interval": trial.interval,
            "resamples": trial.resamples,
            "seed": trial.seed,
            "keep": trial.keep,
        }

    def condition_key(self, arm: str, retriever: str) -> str:
        effective = self.effective
        parts = {key: effective[key] for key in ("pool", "words", "measures", "keep")}
        return sha256(
            parts
            | self.inputs
            | {"arm": [arm, effective["arms"][arm]], "retriever": [retriever, effective["retrievers"][retriever]]}
        )


def run(trial: Trial, output: str | Path, *, workers: int = 1, progress: Progress = _silent) -> Record:
    """Run a trial and return its record.

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
    """
    folder = Path(output)
    with progress("Reading", 1) as step:
        corpus = load_corpus(trial)
        step()
    setup = _Setup.of(trial, corpus)
    identity = sha256({"version": RECORD_VERSION, "inputs": setup.inputs, "effective": setup.effective})
    if (done := _finished(folder, identity)) is not None:
        return done
    parts = _make(folder / "parts")
    chunk_sets = _build(setup, progress)
    scores = _score(setup, chunk_sets, parts, workers, progress)
    means, contrasts = analyse(trial, scores)
    write_parquet(folder / "scores.parquet", tables.scores_table(scores))
    write_parquet(folder / "rankings.parquet", tables.joined(tables.ranking_parts(parts, _keys(setup).values())))
    write_json(folder / "contrasts.json", contrasts)
    header = {
        "version": RECORD_VERSION,
        "package": __version__,
        "trial": identity,
        "title": trial.title,
        "given": trial.given,
        "effective": setup.effective,
        "inputs": setup.inputs,
        "source": corpus.source,
        "corpus": corpus.summary(),
        "arms": [_arm_row(trial, setup, name, chunks) for name, chunks in chunk_sets.items()],
        "conditions": means,
    }
    write_json(folder / "record.json", header)
    shutil.rmtree(parts)
    return Record.open(folder)


def _finished(folder: Path, identity: str) -> Record | None:
    if not (folder / "record.json").exists():
        return None
    record = Record.open(folder)
    if record.header["trial"] != identity:
        raise RecordError(
            f"{folder} holds the record of another trial, or of this one on other documents or questions.",
            hint="Choose another --output, or remove that folder if nobody needs it.",
        )
    return record


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {folder}: {error.strerror or error}.") from error
    return folder


def _build(setup: _Setup, progress: Progress) -> dict[str, ChunkSet]:
    """Build every arm; arms with one chunker cut the corpus once."""
    cut: dict[Chunker, ChunkSet] = {}
    built: dict[str, ChunkSet] = {}
    with progress("Chunking", len(setup.arms)) as step:
        for name, arm in setup.arms.items():
            if arm.chunker not in cut:
                cut[arm.chunker] = arm.chunker.chunk_documents(setup.corpus.documents)
            built[name] = arm.apply_steps(cut[arm.chunker])
            if not len(built[name]):
                raise DataError(f"The arm {name!r} ({arm}) makes no chunk of these documents.")
            step()
    return built


def _keys(setup: _Setup) -> dict[tuple[str, str], str]:
    return {
        (arm, retriever): setup.condition_key(arm, retriever)
        for arm in setup.arms
        for retriever in setup.trial.retrievers
    }


def _score(setup: _Setup, chunk_sets: Mapping[str, ChunkSet], parts: Path, workers: int, progress: Progress) -> Scores:
    keys = _keys(setup)
    missing = [cell for cell, key in keys.items() if not tables.has_part(parts, key)]
    with progress("Scoring", len(missing)) as step:
        results = map_tasks(score_condition, _conditions(setup, chunk_sets, missing), workers)
        for cell, scored in zip(missing, results, strict=True):
            _write_part(setup, chunk_sets[cell[0]], parts, cell, scored)
            step()
    values = {cell: tables.read_values(parts, key) for cell, key in keys.items()}
    return Scores(setup.corpus.questions, tuple(measure.name for measure in setup.trial.all_measures), values)


def _conditions(setup: _Setup, chunk_sets: Mapping[str, ChunkSet], cells: list[tuple[str, str]]) -> Iterator[Condition]:
    corpus = setup.corpus
    pools = Pools.of(setup.pool, corpus.documents, corpus.questions)
    gold = tuple(Gold.of(question.evidence_groups, setup.words) for question in corpus.questions)
    queries = tuple(question.text for question in corpus.questions)
    for arm, retriever in cells:
        chunks = chunk_sets[arm]
        yield Condition(
            arm=arm,
            retriever_name=retriever,
            retriever=setup.trial.retrievers[retriever],
            texts=chunks.texts,
            indexed_texts=chunks.indexed_texts,
            chunk_pools=pools.of_documents[chunks.document],
            queries=queries,
            query_pools=pools.of_questions,
            gold=gold,
            measures=setup.trial.all_measures,
            words=setup.words,
            keep=setup.trial.keep,
        )


def _write_part(setup: _Setup, chunks: ChunkSet, parts: Path, cell: tuple[str, str], scored: Scored) -> None:
    key = setup.condition_key(*cell)
    ranking = tables.ranking_table(setup.corpus.questions, cell, chunks, scored.ranking)
    tables.write_part(parts, key, scored.values, ranking)


def _arm_row(trial: Trial, setup: _Setup, name: str, chunks: ChunkSet) -> dict[str, Any]:
    lengths = [len(text) for text in chunks.texts]
    return {
        "arm": name,
        "given": str(trial.arms[name]),
        "effective": str(setup.arms[name]),
        "chunks": len(chunks),
        "documents": len(np.unique(chunks.document)),
        "median_characters": float(np.median(lengths)),
        "mean_characters": float(np.mean(lengths)),
    }
