"""The texts that are yet to be embedded, and how long that takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from time import perf_counter
from typing import Final

from ragtrial.embedders.base import Embedder
from ragtrial.embedders.settings import RunSettings
from ragtrial.trial.build import Built
from ragtrial.trial.config import Trial
from ragtrial.trial.embeddings import asked_models
from ragtrial.trial.estimate.rows import EmbeddingRow

__all__ = ["embedding_rows"]

_SAMPLE: Final = 16


def embedding_rows(
    trial: Trial,
    built: Built,
    queries: Sequence[str],
    made_up: Collection[str],
    *,
    texts_per_second: float | None,
    measure: bool,
) -> Iterator[EmbeddingRow]:
    """Yield a row for each embedding model.

    Parameters
    ----------
    trial : Trial
    built : Built
    queries : sequence of str
    made_up : collection of str
        The arms whose texts hold made-up replies: their vectors are never made here.
    texts_per_second : float, optional
        The rate, if the user states one.
    measure : bool
        Whether a local model may embed a few texts to measure its rate; their vectors are kept.
    """
    for asked in asked_models(trial.retrievers, trial.cells):
        by_arm = {arm: _missing(asked.embedder, _texts(built, arm)) for arm in asked.arms}
        texts = list(dict.fromkeys(text for missing in by_arm.values() for text in missing))
        texts += _missing(asked.embedder, queries, "query")
        characters = sum(map(len, texts))
        if texts_per_second is not None:
            seconds: float | None = len(texts) / texts_per_second
        else:
            real = [text for arm, missing in by_arm.items() if arm not in made_up for text in missing]
            local = asked.embedder.identity().get("backend") != "openai"
            rate = _seconds_a_character(asked.embedder, real) if measure and local and texts else None
            seconds = None if rate is None else characters * rate
        yield EmbeddingRow(
            asked.name, tuple(asked.arms), len(texts), characters, None if seconds is None else seconds / 60
        )


def _texts(built: Built, arm: str) -> list[str]:
    """Return what an arm indexes, in all of its random draws."""
    return [text for chunks in (built.chunks[arm], *built.redrawn.get(arm, ())) for text in chunks.indexed_texts]


def _missing(embedder: Embedder, texts: Sequence[str], kind: str = "document") -> list[str]:
    if RunSettings.from_environment().cache is None:
        return list(dict.fromkeys(texts))
    return embedder.missing(texts, "query" if kind == "query" else "document")


def _seconds_a_character(embedder: Embedder, texts: Sequence[str]) -> float | None:
    if len(texts) <= _SAMPLE:
        return None
    sample = texts[:: len(texts) // _SAMPLE][:_SAMPLE]
    # The first text pays for the loading of the model.
    embedder.embed(sample[:1])
    began = perf_counter()
    embedder.embed(sample[1:])
    return (perf_counter() - began) / max(sum(map(len, sample[1:])), 1)
