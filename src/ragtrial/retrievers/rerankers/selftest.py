"""Is the score of a text a function of the question and that text? Asked of every reranker when it is first loaded.

Dynamically quantised models scale the activations of a whole batch together, so that a score depends on the other texts
of the batch: the same pair would have many scores, and a cache would keep whichever came first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["PROBE_QUERY", "PROBE_TEXT", "TOLERANCE", "SelfTest", "apart", "self_test"]

PROBE_QUERY: Final = "Where did the cat sit?"
PROBE_TEXT: Final = "The cat sat on the mat."
"""The first pair of the self-test; its score tells one model from another."""

TOLERANCE: Final = 1e-4
"""The largest distance (`apart`) of two scores of one pair that float32 rounding explains."""

# Very unlike each other in length, script and words: what one text does to the scale of a batch then shows.
_TEXTS: Final = (
    PROBE_TEXT,
    "42",
    "def f(x):\n    return {'a': [x ** 2 for _ in range(10)], 'b': None}  # O(n)",
    "Где сидела кошка? 猫はマットの上に座った。 🙂🙂🙂 ∑∫√ ÀÉÎÕÜ",
    "zzzz " * 40,
    "The committee, which had met twice a week since the spring, could not agree on how the results were to be "
    "weighed against the cost of the second trial, and so it asked for another report. " * 3,
)
# A service that answers the same request in more than one way is not to be taken for one that mixes texts.
_NOISE_FACTOR: Final = 4


class SelfTest(NamedTuple):
    """What a reranker did with the texts of the self-test.

    ``alone`` is the verdict: it must be given one text at a time; ``probe`` is the first pair's score alone.
    """

    alone: bool
    batched: float
    repeated: float
    probe: float


def apart(first: float, second: float) -> float:
    """Return the distance of two scores: absolute for scores up to 1, relative for larger ones."""
    return abs(first - second) / max(1.0, abs(first), abs(second))


def self_test(score: Callable[[str, Sequence[str]], npt.NDArray[np.float32]]) -> SelfTest:
    """Score texts together and alone and compare; ``score`` takes a question and the texts of one batch."""
    together = score(PROBE_QUERY, _TEXTS).tolist()
    singles = [_alone(score, text) for text in _TEXTS[:2]]
    batched = max(map(apart, together, singles))
    repeated = 0.0
    if batched > TOLERANCE:
        repeated = max(map(apart, singles, (_alone(score, text) for text in _TEXTS[:2])))
    return SelfTest(batched > max(TOLERANCE, _NOISE_FACTOR * repeated), batched, repeated, singles[0])


def _alone(score: Callable[[str, Sequence[str]], npt.NDArray[np.float32]], text: str) -> float:
    return float(score(PROBE_QUERY, [text])[0])
