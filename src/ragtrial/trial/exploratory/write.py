"""The files of a record beside its verdicts: contents for pages, and exploratory descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtrial.measures.names import parse_measure
from ragtrial.trial.build import Built
from ragtrial.trial.exploratory.contents import chunks_table, documents_table, questions_table
from ragtrial.trial.exploratory.explore import explore
from ragtrial.trial.exploratory.features import features, features_table
from ragtrial.trial.exploratory.found import found_counts, found_table
from ragtrial.trial.record import write_json, write_parquet
from ragtrial.trial.scores import Scores

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILES", "index_tokens", "write_contents"]

FILES = (
    "documents.parquet",
    "questions.parquet",
    "chunks.parquet",
    "found.parquet",
    "features.parquet",
    "exploratory.json",
)
"""What `write_contents` writes."""


def write_contents(
    folder: Path, effective: Mapping[str, Any], built: Built, scores: Scores, rankings: pl.DataFrame
) -> dict[str, dict[str, int]]:
    """Write `FILES` and return each arm's tokens, as `index_tokens` does."""
    corpus, measure = built.corpus, parse_measure(effective["primary"])
    chunks = chunks_table(built.chunks)
    write_parquet(folder / "documents.parquet", documents_table(corpus.documents))
    write_parquet(folder / "questions.parquet", questions_table(corpus.questions))
    write_parquet(folder / "chunks.parquet", chunks)
    found = found_table(
        measure,
        corpus.questions,
        corpus.gold_spans() if measure.needs_spans else (),
        built.chunks,
        rankings,
        words=effective["words"],
        keep=effective["keep"],
    )
    write_parquet(folder / "found.parquet", found)
    rows = features(corpus, built.chunks, effective["pool"], effective["words"])
    write_parquet(folder / "features.parquet", features_table(rows))
    write_json(folder / "exploratory.json", explore(effective, rows, found_counts(found), scores))
    return index_tokens(chunks)


def index_tokens(chunks: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return for each arm how many tokens its index holds: those of the chunks' texts, and those added to them."""
    import polars as pl

    sums = chunks.group_by("arm", maintain_order=True).agg(pl.col("tokens", "added_tokens").cast(pl.Int64).sum())
    return {row["arm"]: {key: row[key] for key in ("tokens", "added_tokens")} for row in sums.to_dicts()}
