"""What a backend of rerankers has to provide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity

__all__ = ["RawScores", "Scorer"]

RawScores: TypeAlias = npt.NDArray[np.floating[Any]]


class Scorer(Protocol):
    """One model behind one backend, asked one batch at a time."""

    @property
    def batch(self) -> int:
        """How many texts to score at a time where nobody says otherwise."""

    def identity(self) -> Identity:
        """Return everything that scores depend on beside the question and the text; loads no model.

        Under ``runtime`` stand the versions of the libraries that compute them.
        """

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Return the scores of one batch of texts for one question, higher for the more relevant, as the model gives
        them; shape (texts,).
        """
