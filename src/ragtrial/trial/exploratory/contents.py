"""Documents, questions and chunks as a record keeps them, so that pages can be made from the record alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.documents.model import Document
from ragtrial.documents.title import document_title
from ragtrial.measures.texts import count_tokens
from ragtrial.questions.model import Question

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TEXT_LIMIT", "chunks_table", "documents_table", "questions_table", "writable"]

TEXT_LIMIT: Final = 50_000_000
"""A record keeps the texts of a corpus of up to so many characters; of a larger one it keeps places alone."""


def documents_table(documents: Sequence[Document], limit: int = TEXT_LIMIT) -> pl.DataFrame:
    """Return one row per document: ``document, title, characters, text``; without texts above the limit.

    Parameters
    ----------
    documents : sequence of Document
    limit : int
        In characters of all documents together.
    """
    import polars as pl

    lengths = [len(document.text) for document in documents]
    kept = sum(lengths) <= limit
    return pl.DataFrame(
        {
            "document": pl.Series([document.id for document in documents], dtype=pl.String),
            "title": pl.Series([writable(document_title(d)) for d in documents], dtype=pl.String),
            "characters": pl.Series(lengths, dtype=pl.Int64),
            "text": pl.Series([writable(d.text) if kept else None for d in documents], dtype=pl.String),
        }
    )


def questions_table(questions: Sequence[Question]) -> pl.DataFrame:
    """Return one row per question: ``question, text, type, document, cluster, stratum, evidence``.

    ``evidence`` is a list of ``{document, text, starts, ends}``; its places are characters of the
    document's text, and empty where the evidence was not located.
    """
    import polars as pl

    places = pl.List(pl.Int64)
    piece = pl.Struct({"document": pl.String, "text": pl.String, "starts": places, "ends": places})
    evidence = [
        [
            {
                "document": item.document,
                "text": writable(item.text),
                "starts": [span.start for span in item.spans],
                "ends": [span.end for span in item.spans],
            }
            for item in question.evidence
        ]
        for question in questions
    ]
    columns: dict[str, list[str | None]] = {
        "question": [question.id for question in questions],
        "text": [writable(question.text) for question in questions],
        "type": [question.type for question in questions],
        "document": [question.document for question in questions],
        "cluster": [question.cluster for question in questions],
        "stratum": [question.stratum for question in questions],
    }
    table = pl.DataFrame({name: pl.Series(column, dtype=pl.String) for name, column in columns.items()})
    return table.with_columns(pl.Series("evidence", evidence, dtype=pl.List(piece)))


def chunks_table(arms: Mapping[str, ChunkSet]) -> pl.DataFrame:
    """Return one row per arm and chunk: ``arm, document, chunk, starts, ends, tokens, added_tokens, prefix``.

    ``chunk`` is the index in the document, as in the rankings; ``tokens`` are those of the chunk's own text,
    ``added_tokens`` those of what is indexed before it and behind it.
    """
    import polars as pl

    # Arms that differ in their prefix alone share their chunks' texts: each text is counted once.
    count = cache(count_tokens)
    tables = []
    for name, chunks in arms.items():
        first = np.searchsorted(chunks.document, np.arange(len(chunks.documents)))
        spans = pl.DataFrame(
            {
                "number": np.repeat(np.arange(len(chunks)), np.diff(chunks.offsets)),
                "starts": chunks.starts,
                "ends": chunks.ends,
            }
        )
        spans = spans.group_by("number", maintain_order=True).agg("starts", "ends")
        added = list(zip(chunks.prefixes, chunks.suffixes, strict=True))
        ids = pl.Series([document.id for document in chunks.documents], dtype=pl.String)
        tables.append(
            pl.DataFrame(
                {
                    "arm": pl.repeat(name, len(chunks), dtype=pl.String, eager=True),
                    "document": ids.gather(chunks.document),
                    "chunk": pl.Series(np.arange(len(chunks)) - first[chunks.document], dtype=pl.Int32),
                    "starts": spans["starts"],
                    "ends": spans["ends"],
                    "tokens": pl.Series(list(map(count, chunks.texts)), dtype=pl.Int32),
                    "added_tokens": pl.Series(
                        [count(before) + count(behind) for before, behind in added], dtype=pl.Int32
                    ),
                    "prefix": pl.Series([writable(before) for before, _ in added], dtype=pl.String),
                    "suffix": pl.Series([writable(behind) for _, behind in added], dtype=pl.String),
                }
            )
        )
    return pl.concat(tables)


def writable(text: str) -> str:
    """Return a text that can be encoded: lone surrogates become replacement characters, and no offset moves."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\N{REPLACEMENT CHARACTER}" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
    return text
