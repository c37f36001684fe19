"""The backend ``fastembed``: its list of ONNX models, by their names there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.embedders.files import model_files, sha256_of_files
from ragtrial.embedders.lengths import token_counts
from ragtrial.errors import DataError
from ragtrial.require import require, version_of

__all__ = ["FastembedEncoder"]

_EXTRA: Final = "fastembed"
_LIBRARIES: Final = ("fastembed", "onnxruntime", "tokenizers")


class FastembedEncoder:
    """An `ragtrial.embedders.base.Encoder` on a model of fastembed, which pools and cuts as its list says."""

    batch = 8

    def __init__(self, model: str, *, threads: int | None = None) -> None:
        """``model``: a name that fastembed knows; ``threads``: None leaves it to onnxruntime."""
        self._model = model
        self._threads = threads
        self._name = f"The model {model!r} of fastembed"

    @property
    def window(self) -> int | None:
        """The most tokens of a text that the model sees; loads the model."""
        truncation = getattr(self._tokenizer, "truncation", None)
        return None if truncation is None else int(truncation["max_length"])

    def identity(self) -> Identity:
        """Return the sha256 of the model's files."""
        return {
            "backend": "fastembed",
            "model": self._model,
            "files": sha256_of_files(model_files(self._folder), self._folder),
            "runtime": {library: version_of(library, _EXTRA, self._name) for library in _LIBRARIES},
        }

    def lengths(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text, none of them cut; None for a model without such a tokenizer."""
        if self._tokenizer is None:
            return None
        return token_counts(self._whole, texts)

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """Return the vectors of one batch."""
        # Models with a head for questions and one for passages tell them apart here; the others do not.
        embed = {"query": self._loaded.query_embed, "document": self._loaded.passage_embed}[kind]
        try:
            return np.stack(list(embed(list(texts), batch_size=len(texts)))).astype(np.float32)
        except Exception as error:  # onnxruntime's errors share no class of their own
            raise DataError(f"{self._name} failed on {len(texts)} texts: {error}.") from error

    @cached_property
    def _loaded(self) -> Any:  # the library is no part of the type check
        library = require("fastembed", _EXTRA, self._name)
        try:
            # The session itself is made when the first text is embedded.
            return library.TextEmbedding(self._model, threads=self._threads, lazy_load=True)
        except Exception as error:
            raise DataError(
                f"{self._name} cannot be loaded: {error}.",
                hint="fastembed.TextEmbedding.list_supported_models() tells which names it knows.",
            ) from error

    @property
    def _folder(self) -> Path:
        return Path(self._loaded.model._model_dir)

    @property
    def _tokenizer(self) -> Any:
        inner = self._loaded.model
        if getattr(inner, "tokenizer", None) is None and hasattr(inner, "load_onnx_model"):
            inner.load_onnx_model()
        return getattr(inner, "tokenizer", None)

    @cached_property
    def _whole(self) -> Any:
        tokenizers = require("tokenizers", _EXTRA, self._name)
        whole = tokenizers.Tokenizer.from_str(self._tokenizer.to_str())
        whole.no_truncation()
        whole.no_padding()
        return whole
