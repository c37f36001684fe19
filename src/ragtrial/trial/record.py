"""The record of a trial: plain files in a folder that outlive the program.

``record.json`` is the header and is written last, so a folder with it is complete;
``scores.parquet``, ``rankings.parquet`` and ``contrasts.json`` hold the results.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtrial.errors import DataError, RecordError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RECORD_VERSION", "Record", "file_sha256", "write_json", "write_parquet"]

RECORD_VERSION = 1
"""The version of the record's format: a newer one is refused, an older one is read."""

_HEADER_KEYS = frozenset(
    {
        "version",
        "package",
        "trial",
        "plan",
        "given",
        "effective",
        "inputs",
        "corpus",
        "arms",
        "conditions",
        "doubts",
        "strata",
        "files",
    }
)


@dataclass(frozen=True)
class Record:
    """A finished trial on disk; open one with `Record.open`."""

    folder: Path
    header: Mapping[str, Any]

    @classmethod
    def open(cls, folder: str | Path) -> Record:
        """Read a record's header; a missing, corrupt, unfinished or newer record raises `RecordError`."""
        folder = Path(folder)
        path = folder / "record.json"
        header = _read_json(path)
        if not isinstance(header, dict) or "version" not in header:
            raise RecordError(f"{path} is not the header of a ragtrial record.")
        if not isinstance(header["version"], int) or header["version"] > RECORD_VERSION:
            raise RecordError(
                f"{path} has version {header['version']!r}, and this ragtrial reads versions up to {RECORD_VERSION}.",
                hint="Upgrade ragtrial to read it.",
            )
        if missing := sorted(_HEADER_KEYS - header.keys()):
            raise RecordError(f"{path} is damaged: it lacks {', '.join(missing)}.", hint="Run the trial again.")
        return cls(folder, header)

    @cached_property
    def scores(self) -> pl.DataFrame:
        """One row per question, condition and measure, in the order of the trial."""
        return self._table("scores.parquet")

    @cached_property
    def rankings(self) -> pl.DataFrame:
        """The first chunks per question and condition: ``rank`` from 1, ``chunk`` is the index in its document."""
        return self._table("rankings.parquet")

    @cached_property
    def contrasts(self) -> list[dict[str, Any]]:
        """The contrasts with their statistics and verdicts, in the order of the trial."""
        rows = _read_json(self.folder / "contrasts.json")
        if not isinstance(rows, list):
            raise RecordError(
                f"{self.folder / 'contrasts.json'} is damaged: it holds no list.", hint="Run the trial again."
            )
        return rows

    def _table(self, name: str) -> pl.DataFrame:
        import polars as pl

        path = self.folder / name
        try:
            return pl.read_parquet(path)
        except FileNotFoundError:
            raise RecordError(f"The record {self.folder} lacks {name}.", hint="Run the trial again.") from None
        except (pl.exceptions.PolarsError, OSError) as error:
            raise RecordError(f"{path} is damaged: {error}.", hint="Run the trial again.") from error


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, value: object) -> None:
    """Write JSON that people can read, whole or not at all."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    _replace(path, lambda part: part.write_text(text, encoding="utf-8"))


def write_parquet(path: Path, table: pl.DataFrame) -> None:
    """Write a table as Parquet, whole or not at all; the same rows give the same bytes."""
    _replace(path, lambda part: table.write_parquet(part, compression="zstd", row_group_size=1_000_000))


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        write(part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Free some space or choose another --output; nothing "
            "that was written before is lost, and the same command goes on from there.",
        ) from error


def _read_json(path: Path) -> Any:  # any JSON value
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordError(
            f"There is no {path.name} in {path.parent}: it is no record, or its trial has not finished.",
            hint="Run the trial again with the same --output: it goes on where it stopped.",
        ) from None
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} is damaged: {error}.", hint="Run the trial again.") from error
