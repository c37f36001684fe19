"""Files of JSON lines, a line at a time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from ragtrial.errors import DataError

__all__ = ["is_collection", "open_lines"]

_ENDS = (".jsonl", ".jsonl.gz")


def is_collection(name: str) -> bool:
    """Tell whether a file holds many documents by its name: ``.jsonl`` or ``.jsonl.gz``."""
    return name.lower().endswith(_ENDS)


def open_lines(path: Path, limit: int) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, packed by gzip if its name ends so, without their ends.

    Raises `DataError` if the file cannot be read, is not UTF-8, or has a line of more than ``limit`` bytes.
    """
    number = 0
    try:
        with _opened(path) as file:
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    raise DataError(f"Cannot read {path}:{number}: the line has more than {limit:,} bytes.")
                yield line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(f"Cannot read {path}:{number}: it is not valid UTF-8 ({error.reason}).") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"Cannot read {path}: {error}.") from error


def _opened(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb")
