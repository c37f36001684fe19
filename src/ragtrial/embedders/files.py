"""The files of a model on this machine: which there are, what they say, and what they are by content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ragtrial.errors import DataError

__all__ = ["file_sha256", "model_files", "read_settings", "sha256_of_files"]

_SUFFIXES: Final = frozenset({".onnx", ".onnx_data", ".data", ".safetensors", ".bin", ".model", ".json", ".txt", ".py"})


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file, in hexadecimal; one that cannot be read raises `DataError`."""
    try:
        stat = path.stat()
        return _sha256(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise DataError(f"Cannot read the model's file {path}: {error.strerror or error}.") from error


@lru_cache(maxsize=256)
def _sha256(path: Path, size: int, mtime: int) -> str:  # noqa: ARG001  # a changed file is read again
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_files(folder: Path) -> list[Path]:
    """Return the files of a folder, at any depth, that a model is made of: weights, settings, vocabularies, code."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in _SUFFIXES and path.is_file() and not _hidden(path.relative_to(folder))
    )


def sha256_of_files(paths: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return the sha256 of each file by its path below ``folder``."""
    return {path.relative_to(folder).as_posix(): file_sha256(path) for path in paths}


def read_settings(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file; an absent file gives an empty one, a broken one raises `DataError`."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"Cannot read the model's settings in {path}: {error}.") from error
    if not isinstance(settings, dict):
        raise DataError(f"{path} holds no JSON object, so it is not the settings of a model.")
    return settings


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
