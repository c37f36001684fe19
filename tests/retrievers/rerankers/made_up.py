"""What tests of rerankers share: a scorer of their own."""

from collections.abc import Sequence
from typing import Any

import numpy as np


class MadeUpScorer:
    """Counts the letters that question and text share; keeps what it was asked."""

    batch = 3

    def __init__(self, name: str = "letters") -> None:
        self.name = name
        self.calls: list[tuple[str, list[str]]] = []

    def identity(self) -> dict[str, Any]:
        return {"backend": "made-up", "name": self.name, "runtime": {"made-up": "1"}}

    def score(self, query: str, texts: Sequence[str]) -> np.ndarray:
        self.calls.append((query, list(texts)))
        return np.array([self.of(query, text) for text in texts], dtype=np.float64)

    @staticmethod
    def of(query: str, text: str) -> float:
        return float(sum(letter in text for letter in set(query)))

    def seen(self) -> list[tuple[str, str]]:
        """Return the pairs that were scored, those of the self-test left out."""
        from ragtrial.retrievers.rerankers.selftest import PROBE_QUERY

        return [(query, text) for query, texts in self.calls for text in texts if query != PROBE_QUERY]
