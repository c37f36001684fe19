"""From what a cross-encoder gives for a pair to one score."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.base import RawScores

__all__ = ["score_of"]

_YES_NO: Final = 2


def score_of(logits: npt.NDArray[np.floating[Any]], name: str) -> RawScores:
    """Return one score a text: the only logit, or of two the second less the first (the log odds of 'relevant').

    ``logits``: shape (texts,), (texts, 1) or (texts, 2). Any other number of them raises `DataError`, in which ``name``
    names the model.
    """
    rows = logits.reshape(len(logits), -1)
    if rows.shape[1] == 1:
        return np.asarray(rows[:, 0])
    if rows.shape[1] == _YES_NO:
        return np.asarray(rows[:, 1] - rows[:, 0])
    raise DataError(
        f"{name} gives {rows.shape[1]} numbers for a question and a text; a reranker gives one, or two for 'no' and "
        "'yes'."
    )
