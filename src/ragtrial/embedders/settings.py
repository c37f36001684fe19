"""What a run may choose without any vector changing: threads, texts at a time, where the cache lies."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ragtrial.errors import UsageError
from ragtrial.storage.place import cache_folder

__all__ = ["RunSettings"]


class RunSettings(NamedTuple):
    """Read from the environment, so that worker processes have the same.

    - ``threads`` (RAGTRIAL_THREADS): threads of a local model; None leaves it to its library.
    - ``batch`` (RAGTRIAL_BATCH): texts given to the model at a time; None leaves it to the backend.
    - ``cache`` (RAGTRIAL_CACHE): the folder of the caches; None for ``off``. By default it is the user's cache folder.
    """

    threads: int | None
    batch: int | None
    cache: Path | None

    @classmethod
    def from_environment(cls) -> RunSettings:
        """Read the settings; a number that is none, or below 1, raises `UsageError`."""
        return cls(_number("RAGTRIAL_THREADS"), _number("RAGTRIAL_BATCH"), cache_folder())


def _number(variable: str) -> int | None:
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"The environment variable {variable} must be a whole number from 1, not {text!r}.")
    return int(text)
