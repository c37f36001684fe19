"""The lines of a ledger: appended whole, read in spite of a last one that a killed process left torn."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragtrial.errors import RecordError, UsageError
from ragtrial.llm.prices import PICO

__all__ = ["Rows", "priced", "read_rows"]


def priced(picodollars: int | None) -> float | None:
    """Return picodollars as the dollars of a row."""
    return None if picodollars is None else picodollars / PICO


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a ledger; a last line that is torn is left out, any other raises `RecordError`."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and _row(line) is None:
                    return
                yield _checked(line, path, number)
    except FileNotFoundError:
        raise UsageError(
            f"There is no ledger {path}.", hint="Nothing was paid yet, or RAGTRIAL_LEDGER names another file."
        ) from None
    except OSError as error:
        raise RecordError(f"Cannot read the ledger {path}: {error.strerror or error}.") from error


class Rows:
    """The rows in a file that several processes append to; every method needs the ledger's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = 0
        self._lines = 0
        self._total = 0

    def total(self) -> int:
        """Return what all rows cost, in picodollars; reads only what was appended since."""
        if not self._path.exists():
            return 0
        size = self._path.stat().st_size
        if size < self._read_to:  # somebody began it anew
            self._read_to = self._lines = self._total = 0
        if size > self._read_to:
            with self._path.open("r+b", buffering=0) as file:
                _end(file.fileno())
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                for line in file:
                    self._lines += 1
                    price = _checked(line, self._path, self._lines).get("price")
                    self._total += round(price * PICO) if price is not None else 0
                    self._read_to += len(line)
        return self._total

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row; when this returns it is on the disk."""
        self._path.touch(exist_ok=True)
        with self._path.open("r+b") as file:
            file.seek(_end(file.fileno()))
            file.write((json.dumps(row, separators=(",", ":")) + "\n").encode("ascii"))
            file.flush()
            os.fsync(file.fileno())


def _end(file: int) -> int:
    """Return where the next row goes; a last line that is torn is cut off, one without its line end gets it."""
    size = os.lseek(file, 0, os.SEEK_END)
    start, tail = size, b""
    while start and b"\n" not in tail:
        step = min(start, 4096)
        start -= step
        os.lseek(file, start, os.SEEK_SET)
        tail = os.read(file, step) + tail
    last = tail[tail.rfind(b"\n") + 1 :]
    if not last:
        return size
    if _row(last) is None:
        os.ftruncate(file, size - len(last))
        return size - len(last)
    os.lseek(file, size, os.SEEK_SET)
    return size + os.write(file, b"\n")


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    price = row.get("price")
    return row if price is None or (isinstance(price, int | float) and 0 <= price < float("inf")) else None


def _checked(line: bytes, path: Path, number: int) -> dict[str, Any]:
    row = _row(line)
    if row is None:
        raise RecordError(
            f"{path}:{number} is no row of a ledger.",
            hint="Mend the line by hand, or set RAGTRIAL_LEDGER to a new file.",
        )
    return row
