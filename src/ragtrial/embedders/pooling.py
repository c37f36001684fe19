"""From the vectors of a text's tokens to one vector."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Vectors
from ragtrial.embedders.conventions import Pooling

__all__ = ["pool"]


def pool(tokens: npt.NDArray[np.float32], mask: npt.NDArray[np.int64], how: Pooling) -> Vectors:
    """Return one vector a text.

    Parameters
    ----------
    tokens : float32 array, shape (texts, length, dimension)
    mask : int64 array, shape (texts, length)
        1 where a token stands, 0 where a shorter text was filled up; the tokens of a text come first.
    how : {"mean", "cls", "last"}
        The mean of a text's tokens, its first token, or its last.
    """
    if how == "cls":
        return np.asarray(tokens[:, 0])
    counts = mask.sum(axis=1)
    if how == "last":
        return np.asarray(tokens[np.arange(len(tokens)), np.maximum(counts - 1, 0)])
    weights = mask.astype(np.float32)[:, :, np.newaxis]
    # Padding adds exact zeros behind the last token, so a text's sum is the same in every batch.
    return np.asarray((tokens * weights).sum(axis=1) / counts[:, np.newaxis], dtype=np.float32)
