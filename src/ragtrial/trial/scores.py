"""All values of a trial in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Scores"]


@dataclass(frozen=True)
class Scores:
    """All values of a trial.

    ``questions``, ``clusters`` and ``strata`` have one entry a question;
    ``values[arm, retriever]`` has shape (questions, measures).
    """

    questions: Sequence[str]
    documents: Sequence[str | None]
    clusters: Sequence[str]
    strata: Sequence[str] | None
    measures: Sequence[str]
    values: Mapping[tuple[str, str], npt.NDArray[np.float64]]

    def of(self, arm: str, retriever: str, measure: str) -> npt.NDArray[np.float64]:
        """Return one value a question."""
        return self.values[arm, retriever][:, list(self.measures).index(measure)]
