"""What dense retrieval costs on this machine, and which arms fit into the time that is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.embedders.base import Embedder

__all__ = ["Fit", "arms_that_fit"]

_SAMPLE: Final = 16
_WINDOW: Final = 1024
"""Characters of a text that cost time: MiniLM reads 256 tokens, of about four characters each."""


@dataclass(frozen=True)
class Fit:
    """Which arms are embedded in the time that there is.

    ``seconds`` is the estimate for the arms that fit, ``rest`` for those that do not; ``speed``
    is in texts a second, None where everything is already kept.
    """

    arms: tuple[str, ...]
    left_out: tuple[str, ...]
    seconds: float
    rest: float
    speed: float | None


def arms_that_fit(chunks: Mapping[str, ChunkSet], embedder: Embedder, seconds: float, order: Sequence[str]) -> Fit:
    """Measure the model on a few texts and return the arms whose texts can be embedded in so many seconds.

    Parameters
    ----------
    chunks : mapping of str to ChunkSet
        The chunks of each arm.
    embedder : Embedder
        Vectors that it keeps cost nothing; those of the sample are kept too.
    seconds : float
    order : sequence of str
        The arms, those that matter most first. An arm that does not fit is passed over for later, smaller ones.
    """
    arms = [arm for arm in order if arm in chunks]
    missing = {arm: embedder.missing(chunks[arm].indexed_texts) for arm in arms}
    every = list(dict.fromkeys(text for arm in arms for text in missing[arm]))
    if not every:
        return Fit(tuple(arms), (), 0.0, 0.0, None)
    sample, per_character, speed = _measured(embedder, every)
    done: set[str] = set(sample)
    fitting: list[str] = []
    spent = rest = 0.0
    for arm in arms:
        new = [text for text in missing[arm] if text not in done]
        cost = sum(map(_cost, new)) * per_character
        if spent + cost <= seconds:
            fitting.append(arm)
            done.update(new)
            spent += cost
    left_out = tuple(arm for arm in arms if arm not in fitting)
    for text in dict.fromkeys(text for arm in left_out for text in missing[arm]):
        rest += 0.0 if text in done else _cost(text) * per_character
    return Fit(tuple(fitting), left_out, spent, rest, speed)


def _measured(embedder: Embedder, texts: Sequence[str]) -> tuple[list[str], float, float]:
    """Return the texts that were embedded, the seconds a character takes, and the texts a second.

    Texts are embedded in batches of one length, so the sample is three such batches: short, middling and long texts.
    """
    by_length = sorted(texts, key=len)
    embedder.embed(by_length[:1])  # pays for the loading of the model
    sample: list[str] = []
    seconds = 0.0
    for share in (1, 3, 5):
        middle = len(by_length) * share // 6
        batch = by_length[middle : middle + _SAMPLE]
        began = perf_counter()
        embedder.embed(batch)
        seconds += perf_counter() - began
        sample += batch
    return sample, seconds / max(sum(map(_cost, sample)), 1), len(sample) / max(seconds, 1e-9)


def _cost(text: str) -> int:
    return min(len(text), _WINDOW)
