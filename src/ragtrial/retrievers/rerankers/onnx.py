"""The backend ``onnx``: a local cross-encoder with a tokenizer, run by onnxruntime on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ragtrial.embedders.base import Identity
from ragtrial.embedders.graph import Graph
from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.base import RawScores
from ragtrial.retrievers.rerankers.logits import score_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["OnnxScorer"]

_PER_TEXT: Final = (1, 2)
"""Dimensions of an output that has one row a text, and none for its tokens."""


class OnnxScorer:
    """A `ragtrial.retrievers.rerankers.base.Scorer` on a file of weights and a tokenizer.

    Question and text are encoded as a pair as the tokenizer's template says; of a pair longer than ``window`` tokens
    the longer part is cut first. The score is the model's one logit, or the second less the first of two.
    """

    batch = 8

    def __init__(self, weights: Sequence[Path], tokenizer: Path, *, window: int, threads: int | None = None) -> None:
        """``weights``: the graph first, then files that belong to it; ``threads``: None leaves it to onnxruntime."""
        self._graph = Graph(weights, tokenizer, threads)
        self._window = window

    def identity(self) -> Identity:
        """Return the sha256 of the files and how they are used."""
        return {"backend": "onnx", "max_length": self._window} | dict(self._graph.identity())

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Return the scores of one batch."""
        pairs = self._tokenizer.encode_batch([(query, text) for text in texts])
        length = max(len(pair) for pair in pairs)
        ids = np.full((len(pairs), length), self._pad_id, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, pair in enumerate(pairs):
            ids[row, : len(pair)] = pair.ids
            types[row, : len(pair)] = pair.type_ids
            mask[row, : len(pair)] = 1
        return score_of(self._graph.run(self._output, ids, mask, types), self._graph.name)

    @cached_property
    def _output(self) -> str:
        outputs = self._graph.outputs
        for name, rank in outputs.items():
            if rank in _PER_TEXT:
                return name
        raise DataError(
            f"{self._graph.name} gives no score: its outputs are {', '.join(outputs)}.",
            hint="Export it for sequence classification.",
        )

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = self._graph.tokenizer()
        tokenizer.enable_truncation(self._window, strategy="longest_first")
        return tokenizer

    @cached_property
    def _pad_id(self) -> int:
        for token in ("[PAD]", "<pad>"):
            if (found := self._tokenizer.token_to_id(token)) is not None:
                return int(found)
        return 0
