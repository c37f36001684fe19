"""The backend ``sentence-transformers``: any of its models, by name or folder, on the device that it chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.embedders.files import model_files, read_settings, sha256_of_files
from ragtrial.errors import DataError
from ragtrial.require import require, version_of

__all__ = ["SentenceTransformersEncoder"]

_EXTRA: Final = "sentence-transformers"
_LIBRARIES: Final = ("sentence-transformers", "torch", "transformers")
_ORGANISATION: Final = "sentence-transformers"
"""Where a model of a name without an owner comes from."""
# The same weights once more, for other runtimes.
_OTHER_FORMATS: Final = ("onnx/*", "openvino/*", "*.onnx", "*.h5", "*.msgpack", "*.ot", "*.tflite")


class SentenceTransformersEncoder:
    """An `ragtrial.embedders.base.Encoder` on a model of sentence-transformers.

    The model is loaded from the files that its identity names: a local folder, or the library's own download of a named
    model. Prefixes come from ragtrial, so the model's own prompts are switched off.
    """

    batch = 32

    def __init__(self, model: str, *, max_length: int | None = None, threads: int | None = None) -> None:
        """``max_length``: None leaves it to the model; ``threads``: None leaves it to torch."""
        self._model = model
        self._max_length = max_length
        self._threads = threads
        self._name = f"The model {model!r}"

    @property
    def window(self) -> int | None:
        """The most tokens of a text that the model sees; may load the model."""
        window = self._max_length or self._loaded.max_seq_length
        return None if window is None else int(window)

    def identity(self) -> Identity:
        """Return the sha256 of the model's files, the kind of device, and how they are used."""
        util = require("sentence_transformers.util", _EXTRA, self._name)
        return {
            "backend": "sentence-transformers",
            "files": sha256_of_files(model_files(self.folder), self.folder),
            "max_length": self._max_length,
            "device": str(util.get_device_name()).partition(":")[0],
            "runtime": {library: version_of(library, _EXTRA, self._name) for library in _LIBRARIES},
        }

    def prompts(self) -> Mapping[str, str]:
        """Return the words that the model's own files want before texts, by their names."""
        prompts = read_settings(self.folder / "config_sentence_transformers.json").get("prompts")
        return prompts if isinstance(prompts, dict) else {}

    def lengths(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text, none of them cut; None for a model without such a tokenizer."""
        tokenizer = self._loaded.tokenizer
        if not callable(tokenizer):
            return None
        return [len(ids) for ids in tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]]

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """Return the vectors of one batch."""
        model = self._loaded
        # Models with two towers know questions from documents; an empty prompt keeps out the model's own.
        encode = {"query": model.encode_query, "document": model.encode_document}[kind]
        vectors = encode(list(texts), prompt="", batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def folder(self) -> Path:
        """The folder of the model's files; downloads a named model that is not on this machine yet."""
        if Path(self._model).expanduser().is_dir():
            return Path(self._model).expanduser()
        hub = require("huggingface_hub", _EXTRA, self._name)
        name = self._model if "/" in self._model else f"{_ORGANISATION}/{self._model}"
        try:
            return _downloaded(hub, name) or Path(hub.snapshot_download(name, ignore_patterns=list(_OTHER_FORMATS)))
        except Exception as error:
            raise DataError(
                f"{self._name} is no folder here, and cannot be downloaded: {error}.",
                hint="Check the name, or download it where there is a network and name its folder.",
            ) from error

    @cached_property
    def _loaded(self) -> Any:  # the library is no part of the type check
        library = require("sentence_transformers", _EXTRA, self._name)
        if self._threads is not None:
            require("torch", _EXTRA, self._name).set_num_threads(self._threads)
        try:
            model = library.SentenceTransformer(str(self.folder))
        except Exception as error:
            raise DataError(f"Cannot load the model {self.folder}: {error}.") from error
        if self._max_length is not None:
            model.max_seq_length = self._max_length
        return model


def _downloaded(hub: Any, name: str) -> Path | None:
    try:
        return Path(hub.snapshot_download(name, local_files_only=True))
    except Exception:  # noqa: BLE001  # whatever keeps it from being found here, the download will say why
        return None
