"""A local ONNX graph with its tokenizer, run by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity
from ragtrial.embedders.files import file_sha256
from ragtrial.embedders.tokenizer import read_tokenizer, read_whole_tokenizer
from ragtrial.errors import DataError
from ragtrial.require import require, version_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Graph", "Ids"]

Ids = npt.NDArray[np.int64]

_EXTRA: Final = "local"
_ONLY_ERRORS: Final = 3


class Graph:
    """One file of weights and one tokenizer, loaded when they are first needed and run on the CPU."""

    def __init__(self, weights: Sequence[Path], tokenizer: Path, threads: int | None = None) -> None:
        """``weights``: the graph first, then files that belong to it; ``threads``: None leaves it to onnxruntime."""
        self._weights = tuple(weights)
        self._tokenizer = tokenizer
        self._threads = threads
        self.name = f"The model {self._weights[0]}"

    def identity(self) -> Identity:
        """Return the sha256 of the files, and under ``runtime`` the versions of what runs them."""
        return {
            "files": {path.name: file_sha256(path) for path in (*self._weights, self._tokenizer)},
            "runtime": {name: version_of(name, _EXTRA, self.name) for name in ("onnxruntime", "tokenizers")},
        }

    def tokenizer(self) -> Tokenizer:
        """Read the tokenizer anew, neither cutting nor filling up texts."""
        return read_whole_tokenizer(self._tokenizer, self.name)

    def tokenizer_as_saved(self) -> Tokenizer:
        """Read the tokenizer anew, cutting and filling up texts as its file says."""
        return read_tokenizer(self._tokenizer, self.name)

    @cached_property
    def outputs(self) -> Mapping[str, int]:
        """The number of dimensions of each output, by its name."""
        return {node.name: len(node.shape) for node in self._session.get_outputs()}

    def run(self, output: str, ids: Ids, mask: Ids, types: Ids | None = None) -> npt.NDArray[np.float32]:
        """Return one output for a batch of token ids, shape (texts, length).

        ``mask`` is 1 where a token stands; ``types`` is 0 for the first and 1 for the second of two joined texts.
        """
        known = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids) if types is None else types,
            "position_ids": np.broadcast_to(np.arange(ids.shape[1]), ids.shape),
        }
        wanted = [node.name for node in self._session.get_inputs()]
        if unknown := [name for name in wanted if name not in known]:
            raise DataError(
                f"{self.name} wants the inputs {', '.join(unknown)}, which a model of texts does not have.",
                hint="Export it again, without a cache of past tokens.",
            )
        try:
            (found,) = self._session.run([output], {name: known[name] for name in wanted})
        except Exception as error:  # onnxruntime's errors share no class of their own
            raise DataError(
                f"{self.name} failed on {len(ids)} texts of up to {ids.shape[1]} tokens: {error}."
            ) from error
        return np.asarray(found, dtype=np.float32)

    @cached_property
    def _session(self) -> Any:  # onnxruntime has no types
        runtime = require("onnxruntime", _EXTRA, self.name)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = self._threads or 0
        options.log_severity_level = _ONLY_ERRORS
        try:
            return runtime.InferenceSession(str(self._weights[0]), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no class of their own
            raise DataError(f"Cannot load the model {self._weights[0]}: {error}.") from error
