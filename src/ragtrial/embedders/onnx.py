"""The backend ``onnx``: any local model with a tokenizer, run by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.embedders.conventions import Pooling
from ragtrial.embedders.graph import Graph
from ragtrial.embedders.lengths import token_counts
from ragtrial.embedders.pooling import pool
from ragtrial.errors import DataError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["OnnxEncoder"]

_TOKENS: Final = 3  # dimensions of an output that has a vector for every token
_POOLED: Final = 2


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
        self._graph = Graph(weights, tokenizer, threads)
        self._pooling: Pooling = pooling
        self.window: int | None = window

    def identity(self) -> Identity:
        """Return the sha256 of the files and how they are used."""
        return {"backend": "onnx", "pooling": self._pooling, "max_length": self.window} | dict(self._graph.identity())

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
        output = self._graph.run(self._output, ids, mask)
        return output if output.ndim == _POOLED else pool(output, mask, self._pooling)

    @cached_property
    def _output(self) -> str:
        ranks = self._graph.outputs
        for rank in (_TOKENS, _POOLED):
            for name, found in ranks.items():
                if found == rank:
                    return name
        raise DataError(f"{self._graph.name} gives no vectors: its outputs are {', '.join(ranks)}.")

    @cached_property
    def _cutting(self) -> Tokenizer:
        tokenizer = self._graph.tokenizer_as_saved()
        side = (tokenizer.truncation or {}).get("direction", "right")
        assert self.window is not None
        tokenizer.enable_truncation(self.window, direction=side)
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _whole(self) -> Tokenizer:
        return self._graph.tokenizer()

    @cached_property
    def _pad_id(self) -> int:
        return int((self._graph.tokenizer_as_saved().padding or {}).get("pad_id", 0))
