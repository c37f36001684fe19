"""What tests of retrievers share: an embedder of their own, and rankings as lists."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ragtrial.retrievers.ranking import Ranking

Row = tuple[list[int], list[float]]


class MadeUpEmbedder:
    """Gives every text a vector of length 1 made of its bytes; few directions, so that equal scores happen."""

    def __init__(self, size: int = 5, directions: int | None = None) -> None:
        self.size = size
        self.directions = directions
        self.calls: list[tuple[tuple[str, ...], str]] = []

    @property
    def dimension(self) -> int:
        return self.size

    def identity(self) -> dict[str, Any]:
        return {"backend": "made-up", "size": self.size, "runtime": {"made-up": "1"}}

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        self.calls.append((tuple(texts), kind))
        return np.array([self.vector(text) for text in texts], dtype=np.float32).reshape(len(texts), self.size)

    def cut(self, texts: Sequence[str], kind: str = "document") -> int | None:
        return 0

    def vector(self, text: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")
        if self.directions is not None:
            seed %= self.directions
        vector = np.random.default_rng(seed).normal(size=self.size)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def rows(ranking: Ranking) -> list[Row]:
    return [(chunks.tolist(), scores.tolist()) for chunks, scores in map(ranking.of, range(ranking.n_questions))]
