"""Runs and judgements of a record in the files of TREC: a run a condition, judgements an arm, whose chunks they are.

A chunk's id is its document's id, ``#`` and its number in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragtrial.chunkers.chunkset import text_of
from ragtrial.documents.parts import Span
from ragtrial.errors import DataError
from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import parse_measure
from ragtrial.measures.ranked import is_relevant
from ragtrial.measures.span_relevance import relevant_chunks
from ragtrial.measures.spans import GoldSpans, SpanTable
from ragtrial.measures.texts import TextTable
from ragtrial.report.trec import Judged, Ranked, write_qrels, write_run
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    import polars as pl

__all__ = ["judgements", "write_trec"]


def write_trec(record: Record, folder: Path) -> list[Path]:
    """Write a run for each condition and judgements for each arm, and return their paths.

    A chunk is relevant as the record's measures take it: for a primary measure of spans as ``ndcg@10`` does, else as
    ``mrr@10`` does. Judged by words are the chunks of the documents that hold evidence, and those that any condition
    of the arm kept.
    """
    effective = record.header["effective"]
    paths = []
    cells = record.rankings.partition_by(["arm", "retriever"], as_dict=True, maintain_order=True)
    order = record.questions["question"].to_list()
    for (arm, retriever), ranked in cells.items():
        name = _file_name(str(arm), str(retriever))
        paths.append(folder / f"{name}.run")
        write_run(paths[-1], _ranked(ranked, order), tag=name)
    for arm in effective["arms"]:
        paths.append(folder / f"{_file_name(arm)}.qrels")
        write_qrels(paths[-1], judgements(record, arm))
    return paths


def _file_name(*names: str) -> str:
    return ".".join("".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name) for name in names)


def _ranked(table: pl.DataFrame, order: Sequence[str]) -> Iterator[Ranked]:
    by_question = table.partition_by("question", as_dict=True, maintain_order=True)
    for question in order:
        own = by_question.get((question,))
        if own is None:
            yield Ranked(question, [], [])
            continue
        ids = [_chunk_id(document, chunk) for document, chunk in own.select("document", "chunk").iter_rows()]
        yield Ranked(question, ids, own["score"].to_numpy())


def _chunk_id(document: str, chunk: int) -> str:
    return f"{document}#{chunk}"


def judgements(record: Record, arm: str) -> Iterator[Judged]:
    """Yield each question with the ids of the arm's relevant chunks, in the order of the record."""
    import polars as pl

    chunks = record.chunks.filter(pl.col("arm") == arm)
    ids = [_chunk_id(document, chunk) for document, chunk in chunks.select("document", "chunk").iter_rows()]
    by_span = parse_measure(record.header["effective"]["primary"]).needs_spans
    judge = _judge_spans(record, chunks) if by_span else _judge_words(record, chunks, arm)
    for question, relevant in judge:
        yield Judged(question, [ids[number] for number in relevant])


def _judge_spans(record: Record, chunks: pl.DataFrame) -> Iterator[tuple[str, list[int]]]:
    number_of = {document: number for number, document in enumerate(record.documents["document"].to_list())}
    spans = chunks.select("starts", "ends").rows()
    table = SpanTable(
        documents=np.array([number_of[document] for document in chunks["document"].to_list()], dtype=np.int64),
        offsets=np.concatenate([[0], np.cumsum([len(starts) for starts, _ in spans])]).astype(np.int64),
        starts=np.array([start for starts, _ in spans for start in starts], dtype=np.int64),
        ends=np.array([end for _, ends in spans for end in ends], dtype=np.int64),
        prefix_tokens=np.zeros(len(spans), dtype=np.int64),
        suffix_tokens=np.zeros(len(spans), dtype=np.int64),
        token_bounds=lambda _: [0],
    )
    for row in record.questions.to_dicts():
        pieces = row["evidence"]
        gold = GoldSpans.of(
            [number_of[piece["document"]] for piece in pieces],
            [list(zip(piece["starts"], piece["ends"], strict=True)) for piece in pieces],
        )
        yield row["question"], relevant_chunks(table.candidates(gold), gold)


def _judge_words(record: Record, chunks: pl.DataFrame, arm: str) -> Iterator[tuple[str, list[int]]]:
    import polars as pl

    texts = _texts(record, chunks, arm)
    words = record.header["effective"]["words"]
    table = TextTable(texts, words)
    of_document: dict[str, list[int]] = {}
    number_of: dict[tuple[str, int], int] = {}
    for number, (document, chunk) in enumerate(chunks.select("document", "chunk").iter_rows()):
        of_document.setdefault(document, []).append(number)
        number_of[document, chunk] = number
    kept: dict[str, set[int]] = {}
    ranked = record.rankings.filter(pl.col("arm") == arm).select("question", "document", "chunk").unique()
    for question, document, chunk in ranked.iter_rows():
        kept.setdefault(question, set()).add(number_of[document, chunk])
    for row in record.questions.to_dicts():
        gold = Gold.of([[piece["text"] for piece in row["evidence"]]], words)
        judged = set(kept.get(row["question"], ()))
        judged.update(number for piece in row["evidence"] for number in of_document.get(piece["document"], ()))
        yield row["question"], [number for number in sorted(judged) if is_relevant(table.whole(number), gold)]


def _texts(record: Record, chunks: pl.DataFrame, arm: str) -> list[str]:
    documents: dict[str, str | None] = dict(record.documents.select("document", "text").iter_rows())
    if None in documents.values():
        raise DataError(
            "The record holds no texts, without which chunks cannot be judged by words.",
            hint="Judge by places: with a primary measure of spans, such as coverage-ndcg@10.",
        )
    (joiner,) = (row["joiner"] for row in record.header["arms"] if row["arm"] == arm)
    return [
        text_of(str(documents[document]), [Span(*span) for span in zip(starts, ends, strict=True)], joiner)
        for document, starts, ends in chunks.select("document", "starts", "ends").iter_rows()
    ]
