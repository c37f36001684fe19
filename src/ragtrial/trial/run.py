"""A trial from start to record: load, hold against the plan, build, score, analyse, write.

Every condition is written when it is scored, under a name made of everything it
depends on, so a run that was stopped goes on where it stood and ends with the
same bytes as one that was not.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.errors import DataError, RecordError
from ragtrial.measures.evidence import Gold
from ragtrial.retrievers.sources import Sources
from ragtrial.trial import tables
from ragtrial.trial.answers.run import answer_trial, with_answers
from ragtrial.trial.build import Built, build_arms
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import Corpus, Pools, load_corpus
from ragtrial.trial.embeddings import embed_ahead
from ragtrial.trial.frozen import Frozen, hold_against_plan
from ragtrial.trial.hashing import sha256
from ragtrial.trial.progress import Progress, silent
from ragtrial.trial.record import RECORD_VERSION, Record
from ragtrial.trial.routing import is_routed
from ragtrial.trial.score import Condition, HeldOut, score_condition
from ragtrial.trial.scores import Scores
from ragtrial.trial.setup import Setup
from ragtrial.trial.weights import is_tuned
from ragtrial.trial.work import map_tasks
from ragtrial.trial.writing import Outcome, write_record

__all__ = ["Prepared", "build", "prepare", "run", "run_prepared"]


@dataclass(frozen=True)
class Prepared:
    """A trial whose inputs were read and held against its plan; nothing of it is built yet."""

    setup: Setup
    frozen: Frozen

    @property
    def identity(self) -> str:
        """The sha256 of all that the record depends on."""
        return sha256(
            {
                "version": RECORD_VERSION,
                "inputs": self.setup.inputs,
                "effective": self.setup.effective,
                "plan": self.frozen.identity,
            }
        )


def prepare(trial: Trial, progress: Progress = silent, corpus: Corpus | None = None) -> Prepared:
    """Read a trial's inputs, unless ``corpus`` holds them already, and hold them against its plan; see `run`."""
    if corpus is None:
        with progress("Reading", 1) as step:
            corpus = load_corpus(trial)
            step()
    frozen = hold_against_plan(trial, corpus)
    return Prepared(Setup(trial, corpus, frozen.tiers), frozen)


def build(prepared: Prepared, progress: Progress = silent) -> Built:
    """Build the arms of a prepared trial: no question is asked, and no outcome can be seen."""
    return build_arms(prepared.setup.corpus, prepared.setup.trial.arms, progress)


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
    return run_prepared(prepare(trial, progress), output, workers=workers, progress=progress)


def run_prepared(
    prepared: Prepared,
    output: str | Path,
    built: Built | None = None,
    *,
    workers: int = 1,
    progress: Progress = silent,
) -> Record:
    """Finish what `prepare` began; ``built`` is what `build` made of it, if that was done already. See `run`."""
    folder, setup, frozen, identity = Path(output), prepared.setup, prepared.frozen, prepared.identity
    if (done := _finished(folder, identity)) is not None:
        return done
    parts = _make(folder / "parts")
    built = built or build(prepared, progress)
    scored = replace(setup, corpus=built.corpus)
    scores = _score(scored, built, parts, workers, progress)
    keys = _keys(scored, built)
    extra = {cell: tables.read_extra(parts, key) for cell, key in keys.items()}
    rankings = tables.ranking_parts(parts, keys.values())
    answers = answer_trial(scored, built.chunks, rankings, progress)
    if answers is not None:
        scores = with_answers(scores, answers.answered, setup.effective["measures"])
    with progress("Describing", 1) as step:
        write_record(folder, Outcome(identity, setup, built, frozen, scores, rankings, extra, answers))
        step()
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
    keys = _keys(setup, built)
    missing = [cell for cell, key in keys.items() if not tables.has_part(parts, key)]
    embed_ahead(setup.trial.retrievers, built.chunks, _all_queries(setup), missing, progress)
    with progress("Scoring", len(missing)) as step:
        results = map_tasks(score_condition, _conditions(setup, built, missing), workers)
        for cell, scored in zip(missing, results, strict=True):
            ranking = tables.ranking_table(setup.corpus.questions, cell, built.chunks[cell[0]], scored.ranking)
            tables.write_part(parts, keys[cell], scored, ranking)
            step()
    questions = setup.corpus.questions
    stratified = any(question.stratum is not None for question in questions)
    return Scores(
        questions=[question.id for question in questions],
        documents=[question.document for question in questions],
        clusters=[question.cluster for question in questions],
        strata=[question.stratum or "" for question in questions] if stratified else None,
        measures=[measure.name for measure in setup.trial.retrieval_measures],
        values={cell: tables.read_values(parts, key) for cell, key in keys.items()},
        averages=setup.trial.averages,
    )


def _keys(setup: Setup, built: Built) -> dict[tuple[str, str], str]:
    keys = {cell: setup.condition_key(*cell) for cell in setup.trial.cells}
    # Where no reply is kept, a run that goes on has other generated text than the one that was stopped.
    generated = {arm: built.sha256(arm) for arm, spec in built.arms.items() if spec.asks_model}
    return {cell: sha256([key, generated[cell[0]]]) if cell[0] in generated else key for cell, key in keys.items()}


def _queries(setup: Setup) -> tuple[str, ...]:
    return tuple(question.text for question in setup.corpus.questions)


def _all_queries(setup: Setup) -> tuple[str, ...]:
    return (*_queries(setup), *(question.text for question in setup.corpus.held_out))


def _conditions(setup: Setup, built: Built, cells: list[tuple[str, str]]) -> Iterator[Condition]:
    corpus = setup.corpus
    pools = Pools.of(setup.pool, corpus.documents, corpus.questions)
    gold = tuple(Gold.of(question.evidence_groups, setup.words) for question in corpus.questions)
    measures = setup.trial.retrieval_measures
    routed = corpus.located and any(is_routed(setup.trial.retrievers[retriever]) for _, retriever in cells)
    gold_spans = corpus.gold_spans() if routed or any(measure.needs_spans for measure in measures) else ()
    drawn = {arm: (built.chunks[arm], *built.redrawn.get(arm, ())) for arm in dict.fromkeys(arm for arm, _ in cells)}
    sources = {arm: tuple(map(Sources.of, chunk_sets)) for arm, chunk_sets in drawn.items()}
    held_out = _held_out(setup) if setup.trial.held_out is not None else None

    def condition(chunks: ChunkSet, source: Sources, retriever: str) -> Condition:
        return Condition(
            retriever=setup.trial.retrievers[retriever],
            texts=chunks.texts,
            prefixes=chunks.prefixes,
            suffixes=chunks.suffixes,
            joiner=chunks.joiner,
            sources=source,
            chunk_pools=pools.of_documents[chunks.document],
            queries=_queries(setup),
            query_pools=pools.of_questions,
            gold=gold,
            gold_spans=gold_spans,
            measures=measures,
            words=setup.words,
            keep=setup.trial.keep,
            held_out=held_out if is_tuned(setup.trial.retrievers[retriever]) else None,
            withheld=corpus.withheld(corpus.questions),
        )

    for arm, retriever in cells:
        first, *others = map(condition, drawn[arm], sources[arm], [retriever] * len(drawn[arm]))
        yield replace(first, redrawn=tuple(others))


def _held_out(setup: Setup) -> HeldOut:
    corpus = setup.corpus
    questions, primary = corpus.held_out, setup.trial.primary_measure
    if not questions:
        raise DataError(
            "No held-out question is left to tune weights on: the documents of all of them failed in some arm.",
            hint="Hold out a larger share of the documents.",
        )
    return HeldOut(
        queries=tuple(question.text for question in questions),
        query_pools=Pools.of(setup.pool, corpus.documents, questions).of_questions,
        gold=tuple(Gold.of(question.evidence_groups, setup.words) for question in questions),
        gold_spans=replace(corpus, questions=questions).gold_spans() if primary.needs_spans else (),
        primary=primary,
        withheld=corpus.withheld(questions),
    )
