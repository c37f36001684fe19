"""All values of a trial in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["Scores"]


@dataclass(frozen=True)
class Scores:
    """All values of a trial.

    ``questions``, ``clusters`` and ``strata`` have one entry a question;
    ``values[arm, retriever]`` has shape (questions, measures). ``averages`` gives names to means of arms, question by
    question.
    """

    questions: Sequence[str]
    documents: Sequence[str | None]
    clusters: Sequence[str]
    strata: Sequence[str] | None
    measures: Sequence[str]
    values: Mapping[tuple[str, str], npt.NDArray[np.float64]]
    averages: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of(self, arm: str, retriever: str, measure: str) -> npt.NDArray[np.float64]:
        """Return one value a question: an arm's, or the mean over those of an average."""
        column = list(self.measures).index(measure)
        if arm in self.averages:
            members = [self.values[member, retriever][:, column] for member in self.averages[arm]]
            mean: npt.NDArray[np.float64] = np.stack(members).mean(axis=0)
            return mean
        return self.values[arm, retriever][:, column]

    def has(self, arm: str, retriever: str) -> bool:
        """Tell whether an arm, or every arm of an average, was scored under a retriever."""
        return all((member, retriever) in self.values for member in self.averages.get(arm, (arm,)))
