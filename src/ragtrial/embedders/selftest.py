"""Is the vector of a text a function of that text? Asked of every model when it is first loaded.

Dynamically quantised models scale the activations of a whole batch together, so that a text's vector
depends on its neighbours: the same text would then have many vectors, and a cache would keep whichever came first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from ragtrial.embedders.base import Vectors

__all__ = ["PROBE", "TOLERANCE", "SelfTest", "self_test"]

PROBE: Final = "The cat sat on the mat."
"""The first text of the self-test; its vector tells one model from another."""

TOLERANCE: Final = 1e-5
"""The largest distance of two vectors of one text that float32 rounding explains."""

# Very unlike each other in length, script and words: what one text does to the scale of a batch then shows.
_TEXTS: Final = (
    PROBE,
    "42",
    "def f(x):\n    return {'a': [x ** 2 for _ in range(10)], 'b': None}  # O(n)",
    "Что делать, если индекс устарел? 東京都の天気は晴れです。 🙂🙂🙂 ∑∫√ ÀÉÎÕÜ",
    "zzzz " * 40,
    "The committee, which had met twice a week since the spring, could not agree on how the results were to be "
    "weighed against the cost of the second trial, and so it asked for another report. " * 3,
)
# A service that answers the same request in more than one way is not to be taken for one that mixes texts.
_NOISE_FACTOR: Final = 4


class SelfTest(NamedTuple):
    """What a model did with the texts of the self-test.

    ``batched`` and ``repeated`` are the largest distances between two vectors (of length 1) of one text: alone and in
    a batch, and alone twice. ``alone`` is the verdict: the model must be given one text at a time.
    """

    alone: bool
    batched: float
    repeated: float
    probe: Vectors

    @property
    def repeatable(self) -> bool:
        """Whether the same request gives the same vector but for rounding."""
        return self.repeated <= TOLERANCE


def self_test(encode: Callable[[Sequence[str]], Vectors]) -> SelfTest:
    """Embed texts together and alone and compare.

    Parameters
    ----------
    encode : callable
        From the texts of one batch to their vectors of length 1, shape (texts, dimension).
    """
    together = encode(_TEXTS)
    singles = [encode([text]) for text in _TEXTS[:2]]
    batched = _farthest(together, singles)
    repeated = 0.0
    if batched > TOLERANCE:
        repeated = _farthest(np.concatenate(singles), [encode([text]) for text in _TEXTS[:2]])
    alone = batched > max(TOLERANCE, _NOISE_FACTOR * repeated)
    return SelfTest(alone, batched, repeated, singles[0])


def _farthest(vectors: Vectors, singles: Sequence[Vectors]) -> float:
    return max(float(np.linalg.norm(vectors[place] - single[0])) for place, single in enumerate(singles))
