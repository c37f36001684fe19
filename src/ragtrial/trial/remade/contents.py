"""What follows from the other tables of a record: counts, lengths, found evidence, routing, weights, doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.measures.answers import nugget_recall
from ragtrial.measures.names import parse_measure
from ragtrial.retrievers.tuning import best_weight
from ragtrial.trial.build import Built
from ragtrial.trial.exploratory.contents import chunks_table
from ragtrial.trial.exploratory.features import features, features_table
from ragtrial.trial.exploratory.found import found_table
from ragtrial.trial.exploratory.write import index_tokens
from ragtrial.trial.record import Record
from ragtrial.trial.remade.differ import unequal, unequal_part, unequal_tables
from ragtrial.trial.remade.restore import has_texts, restored_answers
from ragtrial.trial.routing import routing_rows
from ragtrial.trial.scores import Scores
from ragtrial.trial.served import changes_of
from ragtrial.trial.soundness import doubts_before, doubts_from_scores

if TYPE_CHECKING:
    import polars as pl

__all__ = ["content_faults"]


def content_faults(record: Record, built: Built, scores: Scores) -> Iterator[str]:
    """Yield a sentence for each value that does not follow from documents, questions, chunks and rankings.

    What needs the documents' texts is left out where the record does not keep them.
    """
    whole = has_texts(record)
    yield from _corpus_faults(record, built, scores, whole=whole)
    yield from _arm_faults(record, built, whole=whole)
    yield from unequal("record.json: fused", record.header["fused"], _fused(record.header["effective"]["retrievers"]))
    yield from _routing_faults(record, scores)
    yield from _weight_faults(record)
    yield from _answer_faults(record, scores)
    if whole:
        yield from _table_faults(record, built)
        yield from _doubt_faults(record, built, scores)


def _corpus_faults(record: Record, built: Built, scores: Scores, *, whole: bool) -> Iterator[str]:
    corpus, header = built.corpus, record.header
    made = corpus.summary()
    keys = ["documents", "questions", "evidence", "clusters", "question_types"]
    counts = {key: made[key] for key in keys} | {"characters": int(record.documents["characters"].sum())}
    if whole:
        counts |= {key: made[key] for key in ("characters", "documents_without_text")}
    yield from unequal_part("record.json: corpus", header["corpus"], counts)
    strata = {question.id: question.stratum or "" for question in corpus.questions}
    stratified = any(question.stratum is not None for question in corpus.questions)
    yield from unequal("record.json: strata", header["strata"], strata if stratified else None)
    for name, asked in (
        ("question", [question.id for question in corpus.questions]),
        ("document", [question.document for question in corpus.questions]),
        ("cluster", [question.cluster for question in corpus.questions]),
    ):
        yield from unequal(f"scores.parquet: {name}", list(getattr(scores, f"{name}s")), asked)


def _arm_faults(record: Record, built: Built, *, whole: bool) -> Iterator[str]:
    tokens = index_tokens(record.chunks)
    made = [
        {"arm": arm, "chunks": len(chunks), "documents": len(np.unique(chunks.document))}
        | tokens[arm]
        | (_lengths(chunks) if whole else {})
        for arm, chunks in built.chunks.items()
    ]
    stored = record.header["arms"]
    yield from unequal("record.json: arms", [row["arm"] for row in stored], [row["arm"] for row in made])
    for row, found in zip(stored, made, strict=False):
        yield from unequal_part(f"record.json: arms[{row['arm']}]", row, found)


def _lengths(chunks: ChunkSet) -> dict[str, float]:
    lengths = [len(text) for text in chunks.texts]
    return {"median_characters": float(np.median(lengths)), "mean_characters": float(np.mean(lengths))}


def _fused(retrievers: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return as `ragtrial.trial.fusions.fused_parts`, from the retrievers' parameters."""
    parts = {
        name: [value for value in row.values() if isinstance(value, Mapping) and "component" in value]
        for name, row in retrievers.items()
    }
    return {name: [other for other, row in retrievers.items() if row in own] for name, own in parts.items() if own}


def _routing_faults(record: Record, scores: Scores) -> Iterator[str]:
    stored = record.header["routing"]
    found = []
    if "routing.parquet" in record.header["files"]:
        by_cell = record.routing.partition_by(["arm", "retriever"], as_dict=True, maintain_order=True)
        for cell, table in by_cell.items():
            yield from unequal(
                f"routing.parquet: question of {cell}", table["question"].to_list(), list(scores.questions)
            )
        found = routing_rows({(str(a), str(r)): table["found"].to_numpy() for (a, r), table in by_cell.items()})
    yield from unequal("record.json: routing", stored, found)


def _weight_faults(record: Record) -> Iterator[str]:
    for number, row in enumerate(record.header["weights"]):
        found = best_weight(row["tried"], row["means"])
        yield from unequal(f"record.json: weights[{number}].weight", row["weight"], found)


def _answer_faults(record: Record, scores: Scores) -> Iterator[str]:
    outcome = restored_answers(record)
    if outcome is None:
        return
    controls = outcome.answered.controls
    stored = record.header["answers"]["controls"]
    if controls is not None:
        found = {
            "faults": list(controls.faults),
            "human_kappa": record.header["effective"]["answers"].get("human_kappa"),
        }
        yield from unequal_part("record.json: answers.controls", stored, found)
    for cell, answers in record.answers.partition_by(["arm", "retriever", "budget"], as_dict=True).items():
        yield from unequal(
            f"answers.parquet: question of {cell}", answers["question"].to_list(), list(scores.questions)
        )
    for name in scores.measures:
        measure = parse_measure(name)
        if measure.kind == "nuggets":
            yield from _nugget_faults(record, scores, name, measure.cutoff, partial=measure.variant == "partial")


def _nugget_faults(record: Record, scores: Scores, name: str, budget: int, *, partial: bool) -> Iterator[str]:
    labels: dict[tuple[str, str], dict[str, list[str]]] = {}
    rows = record.judgements.select("arm", "retriever", "question", "label", "budget").iter_rows()
    for arm, retriever, question, label, own in rows:
        if own == budget:
            labels.setdefault((arm, retriever), {}).setdefault(question, []).append(label)
    for cell in scores.values:
        found = [nugget_recall(labels[cell][question], partial=partial) for question in scores.questions]
        yield from unequal(f"scores.parquet: {name} of {cell}", scores.of(*cell, name).tolist(), found)


def _table_faults(record: Record, built: Built) -> Iterator[str]:
    import polars as pl

    effective = record.header["effective"]
    measure = parse_measure(effective["primary"])
    counts = record.documents.select("document", pl.col("text").str.len_chars().cast(pl.Int64).alias("characters"))
    yield from unequal_tables("documents.parquet", record.documents, counts, ("document",))
    counted = chunks_table(built.chunks).select("arm", "document", "chunk", "tokens", "added_tokens")
    yield from unequal_tables("chunks.parquet", record.chunks, counted, ("arm", "document", "chunk"))
    found = found_table(
        measure,
        built.corpus.questions,
        built.corpus.gold_spans() if measure.needs_spans else (),
        built.chunks,
        record.rankings,
        words=effective["words"],
        keep=effective["keep"],
    )
    yield from unequal_tables("found.parquet", record.found, found, ("arm", "retriever", "question", "evidence"))
    # Without what is put before chunks and behind them: those features need section paths, which no table holds.
    plain = {
        arm: chunks.with_prefixes(_none(chunks)).with_suffixes(_none(chunks)) for arm, chunks in built.chunks.items()
    }
    own = features_table(features(built.corpus, plain, effective["pool"], effective["words"]))
    stored = _rows_of(record.features, own["feature"].unique().to_list())
    yield from unequal_tables("features.parquet", stored, own, ("feature", "arm", "question"))


def _none(chunks: ChunkSet) -> tuple[str, ...]:
    return ("",) * len(chunks)


def _rows_of(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    return table.filter(pl.col("feature").is_in(list(names)))


def _doubt_faults(record: Record, built: Built, scores: Scores) -> Iterator[str]:
    outcome = restored_answers(record)
    made = [
        *doubts_before(record.header["effective"], built),
        *changes_of(record.header.get("language_models", [])),
        *doubts_from_scores(record.contrasts, scores),
        *(outcome.doubts() if outcome else ()),
    ]
    stored = record.header["doubts"]
    for line in made:
        if line not in stored:
            yield f"record.json: doubts lacks a line, which is {line!r} when it is made again"
    for line in stored:
        if line not in made:
            yield f"record.json: doubts has the line {line!r} in the record, and not when it is made again"
