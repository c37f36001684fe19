"""The backend ``onnx``: any local model with a tokenizer, run by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.embedders.conventions import Pooling
from ragtrial.embedders.files import file_sha256
from ragtrial.embedders.lengths import token_counts
from ragtrial.embedders.pooling import pool
from ragtrial.errors import DataError
from ragtrial.require import require, version_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["OnnxEncoder"]

_TOKENS: Final = 3  # dimensions of an output that has a vector for every token
_POOLED: Final = 2
_ONLY_ERRORS: Final = 3

Ids = npt.NDArray[np.int64]


class OnnxEncoder:
    """An `ragtrial.embedders.base.Encoder` on a file of weights and a tokenizer.

    Texts are cut after ``window`` tokens, those that the tokenizer adds included. Where the model gives one vector a
    text (an output of two dimensions and none of three), ``pooling`` has no part in it.
    """

    batch = 8  # On a CPU larger batches are not faster, and shorter texts wait for longer ones.

    def __init__(
        self,
        weights: Sequence[Path],
        tokenizer: Path,
        *,
        pooling: Pooling,
        window: int,
        threads: int | None = None,
    ) -> None:
        """``weights``: the graph first, then files that belong to it; ``threads``: None leaves it to onnxruntime."""
        self._weights = tuple(weights)
        self._tokenizer = tokenizer
        self._pooling: Pooling = pooling
        self._threads = threads
        self._name = f"The model {self._weights[0]}"
        self.window: int | None = window

    def identity(self) -> Identity:
        """Return the sha256 of the files and how they are used."""
        return {
            "backend": "onnx",
            "files": {path.name: file_sha256(path) for path in (*self._weights, self._tokenizer)},
            "pooling": self._pooling,
            "max_length": self.window,
            "runtime": {name: version_of(name, "local", self._name) for name in ("onnxruntime", "tokenizers")},
        }

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, those that the tokenizer adds included, none cut."""
        return token_counts(self._whole, texts)

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:  # noqa: ARG002  # the prefix says it all
        """Return the vectors of one batch."""
        rows = [encoding.ids for encoding in self._cutting.encode_batch(list(texts))]
        length = max(map(len, rows))
        ids = np.full((len(rows), length), self._pad_id, dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        output = self._run(ids, mask)
        return output if output.ndim == _POOLED else pool(output, mask, self._pooling)

    def _run(self, ids: Ids, mask: Ids) -> npt.NDArray[np.float32]:
        try:
            (output,) = self._session.run([self._output], self._feeds(ids, mask))
        except Exception as error:  # onnxruntime's errors share no class of their own
            raise DataError(
                f"{self._name} failed on {len(ids)} texts of up to {ids.shape[1]} tokens: {error}."
            ) from error
        return np.asarray(output, dtype=np.float32)

    def _feeds(self, ids: Ids, mask: Ids) -> Mapping[str, Ids]:
        known = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        wanted = [node.name for node in self._session.get_inputs()]
        if unknown := [name for name in wanted if name not in known]:
            raise DataError(
                f"{self._name} wants the inputs {', '.join(unknown)}, which an embedding model of texts does not have.",
                hint="Export it for feature extraction, without a cache of past tokens.",
            )
        return {name: known[name] for name in wanted}

    @cached_property
    def _session(self) -> Any:  # onnxruntime has no types
        runtime = require("onnxruntime", "local", self._name)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self._threads or 0
        options.log_severity_level = _ONLY_ERRORS
        try:
            return runtime.InferenceSession(str(self._weights[0]), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no class of their own
            raise DataError(f"Cannot load the model {self._weights[0]}: {error}.") from error

    @cached_property
    def _output(self) -> str:
        ranks: dict[str, int] = {node.name: len(node.shape) for node in self._session.get_outputs()}
        for rank in (_TOKENS, _POOLED):
            for name, found in ranks.items():
                if found == rank:
                    return name
        raise DataError(f"{self._name} gives no vectors: its outputs are {', '.join(ranks)}.")

    @cached_property
    def _cutting(self) -> Tokenizer:
        tokenizer = self._read_tokenizer()
        side = (tokenizer.truncation or {}).get("direction", "right")
        assert self.window is not None
        tokenizer.enable_truncation(self.window, direction=side)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _whole(self) -> Tokenizer:
        tokenizer = self._read_tokenizer()
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _pad_id(self) -> int:
        return int((self._read_tokenizer().padding or {}).get("pad_id", 0))

    def _read_tokenizer(self) -> Tokenizer:
        tokenizers = require("tokenizers", "local", self._name)
        try:
            found: Tokenizer = tokenizers.Tokenizer.from_file(str(self._tokenizer))
        except Exception as error:  # tokenizers raises plain Exception
            raise DataError(f"Cannot read the tokenizer {self._tokenizer}: {error}.") from error
        return found
