"""The tables of a record, and the parts of it that a run writes on its way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.questions.model import Question
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.tuning import TunedWeight
from ragtrial.trial.cells import cells_of
from ragtrial.trial.record import Record, file_sha256, write_json, write_parquet
from ragtrial.trial.score import Scored
from ragtrial.trial.scores import Scores

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Extra",
    "has_part",
    "ranking_parts",
    "ranking_table",
    "read_extra",
    "read_scores",
    "read_values",
    "scores_table",
    "write_part",
]

Values = npt.NDArray[np.float64]


class Extra(NamedTuple):
    """What a condition told beside scores and ranking; see `ragtrial.trial.score.Scored`."""

    routed: npt.NDArray[np.bool_] | None
    weights: tuple[TunedWeight, ...]


def scores_table(scores: Scores) -> pl.DataFrame:
    """Return one row per condition, question and measure, in the order of the trial."""
    import polars as pl

    measures = list(scores.measures)
    columns = {"question": scores.questions, "document": scores.documents, "cluster": scores.clusters}
    base = pl.DataFrame(
        {name: [value for value in column for _ in measures] for name, column in columns.items()},
        schema=dict.fromkeys(columns, pl.String),
    )
    tables = [
        base.with_columns(
            pl.lit(arm).alias("arm"),
            pl.lit(retriever).alias("retriever"),
            pl.Series("measure", measures * len(scores.questions), dtype=pl.String),
            pl.Series("value", values.ravel(), dtype=pl.Float64),
        )
        for (arm, retriever), values in scores.values.items()
    ]
    return pl.concat(tables)


def read_scores(record: Record) -> Scores:
    """Return the scores of a record's table; one that does not fit its header raises KeyError or ValueError."""
    table = record.scores
    effective = record.header["effective"]
    cells = cells_of(effective["arms"], effective["retrievers"], effective["only"])
    by_cell = table.partition_by(["arm", "retriever"], as_dict=True)
    measures = list(effective["measures"])
    if by_cell.keys() != set(cells):
        raise ValueError(f"scores.parquet holds {len(by_cell):,} conditions, and the trial has {len(cells):,}")
    rows = by_cell[cells[0]].drop("arm", "retriever", "value")
    if rows["measure"].to_list() != measures * (rows.height // len(measures)):
        raise ValueError("scores.parquet does not hold the measures of the trial in their order for each question")
    for cell in cells:
        # Scores are compared question by question, so each condition must have the same ones in the same order.
        if not by_cell[cell].select(rows.columns).equals(rows):
            raise ValueError(f"scores.parquet holds other questions under {cell} than under {cells[0]}")
    first = rows[:: len(measures)]
    strata = record.header["strata"]
    questions = first["question"].to_list()
    values = {cell: by_cell[cell]["value"].to_numpy().reshape(len(questions), len(measures)) for cell in cells}
    return Scores(
        questions=questions,
        documents=first["document"].to_list(),
        clusters=first["cluster"].to_list(),
        strata=None if strata is None else [strata[question] for question in questions],
        measures=measures,
        values=values,
        averages=effective.get("averages", {}),
    )


def ranking_table(
    questions: Sequence[Question], cell: tuple[str, str], chunks: ChunkSet, ranking: Ranking
) -> pl.DataFrame:
    """Return one row per question and ranked chunk; ``rank`` counts from 1, ``chunk`` is the index in its document."""
    import polars as pl

    lengths = np.diff(ranking.offsets)
    rank = np.arange(len(ranking.chunks)) - np.repeat(ranking.offsets[:-1], lengths) + 1
    number = chunks.document[ranking.chunks]
    first = np.searchsorted(chunks.document, np.arange(len(chunks.documents)))
    ids = pl.Series([question.id for question in questions], dtype=pl.String)
    documents = pl.Series([document.id for document in chunks.documents], dtype=pl.String)
    return pl.DataFrame(
        {
            "question": ids.gather(np.repeat(np.arange(len(questions)), lengths)),
            "arm": pl.repeat(cell[0], len(rank), dtype=pl.String, eager=True),
            "retriever": pl.repeat(cell[1], len(rank), dtype=pl.String, eager=True),
            "rank": pl.Series(rank, dtype=pl.Int32),
            "document": documents.gather(number),
            "chunk": pl.Series(ranking.chunks - first[number], dtype=pl.Int32),
            "score": pl.Series(ranking.scores, dtype=pl.Float64),
        }
    )


def has_part(folder: Path, key: str) -> bool:
    """Tell whether a condition was written whole and is still as it was written."""
    try:
        written = json.loads(_seal_path(folder, key).read_text(encoding="utf-8"))
        return bool(written == _digests(folder, key))
    except (OSError, ValueError):
        return False


def write_part(folder: Path, key: str, scored: Scored, ranking: pl.DataFrame) -> None:
    """Write one condition's results under its key, and then the sha256 of each file, which makes it whole."""
    import polars as pl

    write_parquet(_ranking_path(folder, key), ranking)
    columns = {str(number): pl.Series(column, dtype=pl.Float64) for number, column in enumerate(scored.values.T)}
    write_parquet(_values_path(folder, key), pl.DataFrame(columns))
    routed = None if scored.routed is None else scored.routed.tolist()
    write_json(_extra_path(folder, key), {"routed": routed, "weights": [asdict(tuned) for tuned in scored.weights]})
    write_json(_seal_path(folder, key), _digests(folder, key))


def read_values(folder: Path, key: str) -> Values:
    """Read one condition's scores, shape (questions, measures)."""
    import polars as pl

    return np.ascontiguousarray(pl.read_parquet(_values_path(folder, key)).to_numpy())


def read_extra(folder: Path, key: str) -> Extra:
    """Read what else one condition had to tell."""
    extra = json.loads(_extra_path(folder, key).read_text(encoding="utf-8"))
    routed = None if extra["routed"] is None else np.array(extra["routed"], dtype=np.bool_)
    weights = (TunedWeight(row["weight"], tuple(row["grid"]), tuple(row["means"])) for row in extra["weights"])
    return Extra(routed, tuple(weights))


def ranking_parts(folder: Path, keys: Iterable[str]) -> pl.DataFrame:
    """Return the rankings of conditions in one table, in the given order."""
    import polars as pl

    return pl.concat([pl.read_parquet(_ranking_path(folder, key)) for key in keys])


def _digests(folder: Path, key: str) -> list[str]:
    paths = (_ranking_path(folder, key), _values_path(folder, key), _extra_path(folder, key))
    return [file_sha256(path) for path in paths]


def _seal_path(folder: Path, key: str) -> Path:
    return folder / f"{key}.json"


def _extra_path(folder: Path, key: str) -> Path:
    return folder / f"{key}.extra.json"


def _values_path(folder: Path, key: str) -> Path:
    return folder / f"{key}.scores.parquet"


def _ranking_path(folder: Path, key: str) -> Path:
    return folder / f"{key}.rankings.parquet"
