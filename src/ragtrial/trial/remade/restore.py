"""A record's tables as the objects that a run has: documents, questions, chunks, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.questions.model import HARVESTED, Evidence, Question
from ragtrial.trial.answers.controls import Controls
from ragtrial.trial.answers.run import AnswerOutcome
from ragtrial.trial.answers.stage import Answered
from ragtrial.trial.build import Built
from ragtrial.trial.cells import Cell
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    import polars as pl

__all__ = ["has_texts", "restored_answers", "restored_build"]


def has_texts(record: Record) -> bool:
    """Tell whether a record keeps its documents' texts, which a very large corpus does without."""
    return record.documents["text"].null_count() == 0


def restored_build(record: Record) -> Built:
    """Return documents, questions and the chunks of each arm, without sections, and with no texts if none are kept.

    Raises
    ------
    KeyError, ValueError
        The tables do not fit each other or the header.
    """
    documents = tuple(
        Document(name, text or "", ()) for name, text in record.documents.select("document", "text").iter_rows()
    )
    corpus = Corpus(documents, _questions(record), (), ())
    number_of = {document.id: number for number, document in enumerate(documents)}
    tables = record.chunks.partition_by("arm", as_dict=True, maintain_order=True)
    joiners = {row["arm"]: row["joiner"] for row in record.header["arms"]}
    chunks = {str(arm): _chunk_set(table, documents, number_of, joiners[arm]) for (arm,), table in tables.items()}
    return Built(corpus, {}, chunks, record.header["corpus"]["failed_documents"])


def _questions(record: Record) -> tuple[Question, ...]:
    rows = record.questions.to_dicts()
    questions = [
        Question(
            id=row["question"],
            text=row["text"],
            evidence=tuple(map(_evidence, row["evidence"])),
            document=row["document"],
            cluster=row["cluster"],
            type=row["type"],
            stratum=row["stratum"],
        )
        for row in rows
    ]
    # The table does not say which were harvested, and nothing that is made again asks for more than how many.
    harvested = record.header["corpus"]["questions_harvested"]
    marked = [replace(question, origin=HARVESTED) for question in islice(questions, harvested)]
    return (*marked, *questions[harvested:])


def _evidence(row: Mapping[str, Any]) -> Evidence:
    return Evidence(row["text"], row["document"], tuple(map(Span, row["starts"], row["ends"])))


def _chunk_set(
    table: pl.DataFrame, documents: tuple[Document, ...], number_of: Mapping[str, int], joiner: str | None
) -> ChunkSet:
    numbers = np.array([number_of[document] for document in table["document"].to_list()], dtype=np.int64)
    if (np.diff(numbers) < 0).any():
        raise ValueError("the chunks are not in the order of the documents")
    widths = table["starts"].list.len().to_numpy().astype(np.int64)
    return ChunkSet(
        documents=documents,
        document=numbers,
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)]),
        starts=table["starts"].explode().to_numpy().astype(np.int64),
        ends=table["ends"].explode().to_numpy().astype(np.int64),
        paths=((),) * table.height,
        prefixes=tuple(table["prefix"].to_list()),
        suffixes=tuple(table["suffix"].to_list()),
        joiner=joiner,
    )


def restored_answers(record: Record) -> AnswerOutcome | None:
    """Return the answers and what the header says of judge and servers; None for a trial without answers."""
    header = record.header.get("answers")
    if header is None:
        return None
    answers: dict[tuple[Cell, int], list[str]] = {}
    for arm, retriever, budget, answer in record.answers.select("arm", "retriever", "budget", "answer").iter_rows():
        answers.setdefault(((arm, retriever), budget), []).append(answer)
    row = header["controls"]
    controls = None if row is None else Controls(**{key: value for key, value in row.items() if key != "faults"})
    return AnswerOutcome(Answered(answers, {}, {}, controls), header["served"])
