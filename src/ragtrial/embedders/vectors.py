"""Vectors as they come from a model, held against what they must be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Vectors
from ragtrial.errors import DataError

__all__ = ["unit_vectors"]


def unit_vectors(raw: npt.NDArray[np.floating], texts: Sequence[str], dimension: int | None, source: str) -> Vectors:
    """Return the vectors of a batch, each divided by its length.

    Parameters
    ----------
    raw : float array, shape (texts, dimension)
        What the model gave.
    texts : sequence of str
        The batch, for its size and for messages.
    dimension : int or None
        The size that vectors must have; None for the first batch of a model.
    source : str
        The model's name, for messages.

    Raises
    ------
    DataError
        There are fewer or more vectors than texts, they have another size, or one of them is not finite or zero.
    """
    if raw.ndim != 2 or len(raw) != len(texts):
        found = len(raw) if raw.ndim == 2 else f"an array of the shape {raw.shape}"
        raise DataError(f"{source} gave {found} vectors for {len(texts)} texts; none of them was used.")
    if dimension is not None and raw.shape[1] != dimension:
        raise DataError(
            f"{source} gave vectors of {raw.shape[1]} components where they have {dimension}; none of them was used.",
            hint="Another model answers under this name than before; name the right one.",
        )
    # In float64 the length neither overflows nor vanishes, and rounding happens once.
    wide = raw.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        what = "zero" if lengths[bad[0]] == 0 else "not finite (NaN or infinite)"
        raise DataError(f"{source} gave a vector that is {what} for the text {_excerpt(texts[bad[0]])}.")
    unit: Vectors = (wide / lengths[:, np.newaxis]).astype(np.float32)
    return unit


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
