"""The backend ``sentence-transformers``: its cross-encoders, by name or folder, on the device that it chooses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragtrial.embedders.base import Identity
from ragtrial.embedders.files import model_files, sha256_of_files
from ragtrial.embedders.sentence_transformers import SentenceTransformersEncoder
from ragtrial.errors import DataError
from ragtrial.require import require, version_of
from ragtrial.retrievers.rerankers.base import RawScores
from ragtrial.retrievers.rerankers.logits import score_of

__all__ = ["CrossEncoderScorer"]

_EXTRA: Final = "sentence-transformers"
_LIBRARIES: Final = ("sentence-transformers", "torch", "transformers")


class CrossEncoderScorer:
    """A `ragtrial.retrievers.rerankers.base.Scorer` on a cross-encoder of sentence-transformers.

    Scores are logits, whatever the model makes of them afterwards: the order is the same, and high scores do not round
    to 1.
    """

    batch = 32

    def __init__(self, model: str, *, max_length: int | None = None, threads: int | None = None) -> None:
        """``max_length``: None leaves it to the model; ``threads``: None leaves it to torch."""
        self._model = model
        self._max_length = max_length
        self._threads = threads
        self._name = f"The reranker {model!r}"

    def identity(self) -> Identity:
        """Return the sha256 of the model's files, the kind of device, and how they are used."""
        util = require("sentence_transformers.util", _EXTRA, self._name)
        return {
            "backend": "sentence-transformers",
            "files": sha256_of_files(model_files(self._folder), self._folder),
            "max_length": self._max_length,
            "device": str(util.get_device_name()).partition(":")[0],
            "runtime": {library: version_of(library, _EXTRA, self._name) for library in _LIBRARIES},
        }

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Return the scores of one batch."""
        identity = require("torch", _EXTRA, self._name).nn.Identity()
        logits = self._loaded.predict(
            [(query, text) for text in texts],
            batch_size=len(texts),
            activation_fn=identity,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return score_of(np.asarray(logits, dtype=np.float32), self._name)

    @cached_property
    def _folder(self) -> Path:
        return SentenceTransformersEncoder(self._model).folder

    @cached_property
    def _loaded(self) -> Any:  # the library is no part of the type check
        library = require("sentence_transformers", _EXTRA, self._name)
        if self._threads is not None:
            require("torch", _EXTRA, self._name).set_num_threads(self._threads)
        try:
            return library.CrossEncoder(str(self._folder), max_length=self._max_length)
        except Exception as error:
            raise DataError(f"Cannot load the reranker {self._folder}: {error}.") from error
