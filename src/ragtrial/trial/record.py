"""The record of a trial: plain files in a folder that outlive the program.

``record.json`` is the header and is written last, so a folder with it is complete;
``scores.parquet``, ``rankings.parquet`` and ``contrasts.json`` hold the results; documents, questions and
chunks lie beside them, so that every page of a report is made from the record alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtrial.errors import DataError, RecordError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RECORD_VERSION", "Record", "file_sha256", "write_json", "write_parquet", "write_whole"]

RECORD_VERSION = 1
"""The version of the record's format: a newer one is refused, an older one is read."""

_HEADER: dict[str, type | tuple[type, ...]] = {
    "version": int,
    "package": str,
    "trial": str,
    "plan": (dict, type(None)),
    "given": dict,
    "effective": dict,
    "inputs": dict,
    "corpus": dict,
    "strata": (dict, type(None)),
    "arms": list,
    "models": list,
    "conditions": list,
    "fused": dict,
    "fusions": list,
    "routing": list,
    "weights": list,
    "ladders": list,
    "doubts": list,
    "files": dict,
}

_CONTRAST = frozenset(
    {"name", "a", "b", "retriever", "measure", "test", "tier", "difference", "ci95", "verdict", "curve"}
)

_CELL = frozenset({"contrast", "retriever", "measure", "type", "planned", "questions", "difference", "ci95"})

_AGAIN = "Remove the record's folder, or choose another --output, and run the trial again."


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
        if not isinstance(header, dict) or type(header.get("version")) is not int:
            raise RecordError(f"{path} is not the header of a ragtrial record.", hint=_AGAIN)
        if header["version"] > RECORD_VERSION:
            raise RecordError(
                f"{path} has version {header['version']}, and this ragtrial reads versions up to {RECORD_VERSION}.",
                hint="Upgrade ragtrial to read it.",
            )
        if wrong := sorted(key for key, kind in _HEADER.items() if not isinstance(header.get(key, ...), kind)):
            raise RecordError(f"{path} is damaged: {', '.join(wrong)} is missing or malformed.", hint=_AGAIN)
        return cls(folder, header)

    def damaged_files(self) -> list[str]:
        """Return a sentence for each file that is missing or not as it was written."""
        faults = []
        for name, digest in self.header["files"].items():
            path = self.folder / name
            if not path.exists():
                faults.append(f"{name} is missing")
            elif file_sha256(path) != digest:
                faults.append(f"{name} was changed after the record was made: its sha256 does not fit")
        return faults

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
        path = self.folder / "contrasts.json"
        rows = _read_json(path)
        if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= _CONTRAST for row in rows):
            raise RecordError(f"{path} is damaged: it is no list of contrasts.", hint=_AGAIN)
        return rows

    @cached_property
    def grid(self) -> list[dict[str, Any]]:
        """Every contrast under each retriever and measure, and by type of question; the planned cells are marked."""
        path = self.folder / "grid.json"
        rows = _read_json(path)
        if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= _CELL for row in rows):
            raise RecordError(f"{path} is damaged: it is no list of cells.", hint=_AGAIN)
        return rows

    @cached_property
    def documents(self) -> pl.DataFrame:
        """One row per document: ``document, title, characters, text``; ``text`` is null in a very large corpus."""
        return self._table("documents.parquet")

    @cached_property
    def questions(self) -> pl.DataFrame:
        """One row per question: ``question, text, type, document, cluster, stratum, evidence``."""
        return self._table("questions.parquet")

    @cached_property
    def chunks(self) -> pl.DataFrame:
        """One row per arm and chunk: ``arm, document, chunk, starts, ends, tokens, added_tokens, prefix, suffix``."""
        return self._table("chunks.parquet")

    @cached_property
    def found(self) -> pl.DataFrame:
        """One row per condition, question and piece of evidence: whether it is found where the primary measure cuts."""
        return self._table("found.parquet")

    @cached_property
    def features(self) -> pl.DataFrame:
        """One row per question and feature, and arm where it has one: what the exploratory analyses are made from."""
        return self._table("features.parquet")

    @cached_property
    def exploratory(self) -> dict[str, Any]:
        """The exploratory analyses by name; empty ones had no inputs."""
        path = self.folder / "exploratory.json"
        found = _read_json(path)
        if not isinstance(found, dict):
            raise RecordError(f"{path} is damaged: it holds no analyses.", hint=_AGAIN)
        return found

    @cached_property
    def routing(self) -> pl.DataFrame:
        """For each routed condition and question, whether the first stage kept a section with the evidence.

        A trial without a routed retriever has no such table: `RecordError`.
        """
        return self._table("routing.parquet")

    @cached_property
    def answers(self) -> pl.DataFrame:
        """One row per condition, budget and question: what the reader answered. None without answers: `RecordError`."""
        return self._table("answers.parquet")

    @cached_property
    def judgements(self) -> pl.DataFrame:
        """One row per condition, budget, question and nugget: the judge's label. None without one: `RecordError`."""
        return self._table("judgements.parquet")

    def _table(self, name: str) -> pl.DataFrame:
        import polars as pl

        path = self.folder / name
        try:
            return pl.read_parquet(path)
        except FileNotFoundError:
            raise RecordError(f"The record {self.folder} lacks {name}.", hint=_AGAIN) from None
        except (pl.exceptions.PolarsError, OSError) as error:
            raise RecordError(f"{path} is damaged: {error}.", hint=_AGAIN) from error


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, value: object) -> None:
    """Write JSON that people can read, whole or not at all."""
    write_whole(
        path, (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")
    )


def write_parquet(path: Path, table: pl.DataFrame) -> None:
    """Write a table as Parquet, whole or not at all; the same rows give the same bytes."""
    data = BytesIO()
    table.write_parquet(data, compression="zstd", row_group_size=1_000_000)
    write_whole(path, data.getvalue())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: first beside it, then in its place; what is there already stays until then."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise DataError(
            f"Cannot write {path}: {error.strerror or error}.",
            hint="Free some space or choose another --output; nothing that was written before is lost, and the same "
            "command goes on from there.",
        ) from error


def _read_json(path: Path) -> Any:  # any JSON value
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordError(
            f"There is no {path.name} in {path.parent}: it is no record, or its trial has not finished.",
            hint="Run the trial again with the same --output: it goes on where it stopped.",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise RecordError(f"{path} is damaged: {error}.", hint=_AGAIN) from error
