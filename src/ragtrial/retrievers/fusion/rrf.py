"""The retriever ``rrf``: reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from ragtrial.retrievers.fusion.base import Fusion
from ragtrial.retrievers.ranking import FloatArray, IntArray

__all__ = ["RRF"]


@dataclass(frozen=True)
class RRF(Fusion):
    """Reciprocal rank fusion with equal weights (METHODS 4, Hybrid; Cormack, Clarke, Büttcher 2009).

    A chunk's score is 1 / (k + its rank with ``first``) + 1 / (k + its rank with ``second``), ranks from 1, both
    lists to their full depth. Ties keep the order of ``first``: ``rrf(bm25, dense)``.
    """

    spec_name: ClassVar[str] = "rrf"
    least_score: ClassVar[float | None] = 0.0

    k: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 60

    def fuse(self, first: FloatArray, second: FloatArray, ranks: IntArray) -> FloatArray:  # noqa: ARG002  # ranks only
        """Return the fused scores; see `Fusion.fuse`."""
        return 1 / (self.k + np.arange(1, len(ranks) + 1)) + 1 / (self.k + ranks)
