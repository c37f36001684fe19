"""The record's tables as CSV, Parquet or one JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtrial.trial.record import Record, write_json, write_parquet, write_whole

if TYPE_CHECKING:
    import polars as pl

__all__ = ["data_frames", "write_csv", "write_json_file", "write_parquets"]

Row = Mapping[str, Any]


def data_frames(record: Record) -> dict[str, pl.DataFrame]:
    """Return the tables by name, flat and in full precision: differences are fractions (0.01 is one point)."""
    import polars as pl

    contrasts = [_flat({key: row[key] for key in row if key not in ("curve", "notes")}) for row in record.contrasts]
    curves = [{"contrast": row["name"]} | _flat(point) for row in record.contrasts for point in row["curve"]]
    rows = {
        "arms": [{key: arm[key] for key in arm if key not in ("placebos", "reports")} for arm in record.header["arms"]],
        "conditions": [_flat(row) for row in record.header["conditions"]],
        "contrasts": contrasts,
        "curves": curves,
        "fusions": [_flat(row) for row in record.header["fusions"]],
        "grid": [_flat(row) for row in record.grid],
    }
    frames = {name: pl.DataFrame(own, infer_schema_length=None) for name, own in rows.items() if own}
    return frames | {"scores": record.scores, "rankings": record.rankings, "found": record.found}


def _flat(row: Row) -> dict[str, Any]:
    """Return a row with each interval in two columns."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key in ("ci90", "ci95"):
            flat[f"{key}_low"], flat[f"{key}_high"] = value or (None, None)
        else:
            flat[key] = value
    return flat


def write_csv(record: Record, folder: Path) -> list[Path]:
    """Write each table as a CSV file in UTF-8 and return their paths."""
    paths = []
    for name, frame in data_frames(record).items():
        paths.append(folder / f"{name}.csv")
        write_whole(paths[-1], frame.write_csv().encode("utf-8"))
    return paths


def write_parquets(record: Record, folder: Path) -> list[Path]:
    """Write each table as a Parquet file and return their paths."""
    paths = []
    for name, frame in data_frames(record).items():
        paths.append(folder / f"{name}.parquet")
        write_parquet(paths[-1], frame)
    return paths


def write_json_file(record: Record, folder: Path) -> list[Path]:
    """Write header, contrasts, cells and exploratory analyses as one JSON file and return its path."""
    path = folder / "record.json"
    parts = {"contrasts": record.contrasts, "grid": record.grid, "exploratory": record.exploratory}
    write_json(path, dict(record.header) | parts)
    return [path]
