"""The retriever ``weighted``: fusion of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers.fusion.base import Fusion
from ragtrial.retrievers.ranking import FloatArray, IntArray

__all__ = ["Weighted"]


@dataclass(frozen=True)
class Weighted(Fusion):
    """A weighted mean of normalised scores (Bruch, Gai, Ingber 2023).

    A chunk's score is ``weight`` x its score with ``first`` + (1 - ``weight``) x that with ``second``, each brought to
    one scale over the pool of the query:

    - ``min-max``: the lowest score becomes 0, the highest 1;
    - ``theoretical``: as ``min-max``, but 0 stands for the lowest score that the retriever can give (0 for bm25,
      -1 for dense), so that a pool without any good chunk is not stretched to look like one with;
    - ``z-score``: mean 0, standard deviation 1.

    ``weight='tuned'`` is for trials with ``[held_out]``: there each arm's weight is the one that is best for questions
    which are not scored.

    Scores that are all equal become 0. Ties keep the order of ``first``. With bm25 first, Bruch's alpha is
    1 - ``weight``.
    """

    spec_name: ClassVar[str] = "weighted"

    weight: Annotated[float, Field(ge=0, le=1)] | Literal["tuned"] = 0.5
    normalise: Literal["min-max", "theoretical", "z-score"] = "min-max"

    def __post_init__(self) -> None:
        super().__post_init__()
        for part in self.parts:
            if self.normalise == "theoretical" and part.least_score is None:
                raise SpecError(
                    f"weighted cannot be built: {part.spec_name} has no lowest possible score.",
                    hint="Use normalise='min-max' or 'z-score'.",
                )

    def fuse(self, first: FloatArray, second: FloatArray, ranks: IntArray) -> FloatArray:  # noqa: ARG002  # scores only
        """Return the fused scores; see `Fusion.fuse`. A weight that is still to be tuned raises `UsageError`."""
        if self.weight == "tuned":
            raise UsageError(
                f"{self} has no weight yet.",
                hint="A trial tunes it on held-out questions; elsewhere use ragtrial.retrievers.tuning.tune_weight.",
            )
        return self.weight * self._scaled(first, self.first.least_score) + (1 - self.weight) * self._scaled(
            second, self.second.least_score
        )

    def _scaled(self, scores: FloatArray, least: float | None) -> FloatArray:
        if not len(scores):
            return scores
        if self.normalise == "z-score":
            low, width = scores.mean(), scores.std()
        else:
            low = scores.min() if self.normalise == "min-max" or least is None else least
            width = scores.max() - low
        return (scores - low) / width if width > 0 else np.zeros_like(scores)
