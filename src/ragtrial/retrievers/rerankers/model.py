"""A scorer made into a reranker: each pair scored once, in batches, held against what scores must be, and kept."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Identity
from ragtrial.embedders.batches import by_length, distinct, without_surrogates
from ragtrial.embedders.bypass import cache_is_bypassed
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import VectorCache
from ragtrial.embedders.model import Fit
from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.base import Scorer
from ragtrial.retrievers.rerankers.selftest import PROBE_QUERY, PROBE_TEXT, SelfTest, apart, self_test

__all__ = ["Reranker", "Scores"]

Scores: TypeAlias = npt.NDArray[np.float32]
"""Shape (texts,); float32 with a cache or without, so that both give the same ranking."""

_SECONDS_BETWEEN_WRITES: Final = 2.0
_SAME_MODEL: Final = 0.05
"""The largest distance between two scores of the probe that still are one model's, whatever machine ran it."""


class Reranker:
    """Scores of questions and texts; a pair that the cache holds is not scored again.

    The model is loaded and tested (`ragtrial.retrievers.rerankers.selftest`) when the first score is missing. One whose
    scores depend on the other texts of a batch is given one text at a time from then on.
    """

    def __init__(self, name: str, scorer: Scorer, cache: VectorCache | None = None, batch: int | None = None) -> None:
        """``name`` is for messages; ``batch``: texts at a time, None leaves it to the backend."""
        self.name = name
        self.scorer = scorer
        self._cache = cache
        self._batch = batch or scorer.batch
        self._waiting: list[tuple[list[bytes], Scores]] = []
        self._written = time.monotonic()
        self._held = False

    @cached_property
    def tested(self) -> SelfTest:
        """The result of the self-test; loads the model."""
        return self_test(self._asked)

    def identity(self) -> Identity:
        """Return everything that scores depend on; loads no model."""
        return self._identity

    def scores(self, questions: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Scores]:
        """Yield for each question the scores of its texts, in their order.

        What is scored is stored every few seconds and at the end.

        Raises
        ------
        DataError
            A score is missing or not finite, or the model is another one than the cache knows under its name.
        """
        if self._cache is not None:
            self._cache.dimension(self._identity)  # notes that the model was used today
        try:
            for query, texts in questions:
                yield self._of(query, texts)
        finally:
            self._store()

    def _of(self, query: str, texts: Sequence[str]) -> Scores:
        unique, rows = distinct(texts)
        if not unique:
            return np.empty(0, dtype=np.float32)
        if self._cache is None or cache_is_bypassed():
            return self._scored(query, unique)[rows]
        keys = self._keys(query, unique)
        found = self._cache.get(keys, 1)
        scores: Scores = found.vectors[:, 0]
        missing = np.flatnonzero(~found.there).tolist()
        if missing:
            self._hold_against_probe(self._cache)
            new = self._scored(query, [unique[place] for place in missing])
            scores[missing] = new
            self._waiting.append(([keys[place] for place in missing], new))
            if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
                self._store()
        return scores[rows]

    def _scored(self, query: str, texts: Sequence[str]) -> Scores:
        scores = np.empty(len(texts), dtype=np.float32)
        size = 1 if self.tested.alone else self._batch
        for places in by_length([len(text) for text in texts], size):
            scores[places] = self._asked(query, [texts[place] for place in places])
        return scores

    def _asked(self, query: str, texts: Sequence[str]) -> Scores:
        raw = np.asarray(self.scorer.score(without_surrogates(query), [without_surrogates(text) for text in texts]))
        if raw.shape != (len(texts),):
            raise DataError(f"{self.name} gave scores of the shape {raw.shape} for {len(texts)} texts.")
        scores: Scores = raw.astype(np.float32)
        bad = np.flatnonzero(~np.isfinite(scores))
        if len(bad):
            text = texts[bad[0]]
            shown = repr(text if len(text) <= 60 else f"{text[:57]}...")
            raise DataError(f"{self.name} gave a score that is not finite (NaN or infinite) for the text {shown}.")
        return scores

    def _keys(self, query: str, texts: Sequence[str]) -> list[bytes]:
        # The question stands where a vector's prefix does: what was put before the text. See `_identity`.
        return vector_keys(self._identity, "document", query, texts)

    @cached_property
    def _identity(self) -> Identity:
        # ``role`` keeps a score apart from a vector of a model of the same files.
        return {"role": "reranker"} | dict(self.scorer.identity())

    def _store(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._written = time.monotonic()
        if waiting and self._cache is not None:
            keys = [key for of_query, _ in waiting for key in of_query]
            vectors = np.concatenate([scores for _, scores in waiting])[:, np.newaxis]
            self._cache.put(self._identity, keys, vectors, [Fit.UNKNOWN] * len(keys))

    def _hold_against_probe(self, cache: VectorCache) -> None:
        """Refuse a model that scores otherwise than the one under the same identity that filled the cache."""
        if self._held:
            return
        probe = self.tested.probe
        keys = self._keys(PROBE_QUERY, [PROBE_TEXT])
        found = cache.get(keys, 1)
        if not found.there[0]:
            cache.put(self._identity, keys, np.array([[probe]], dtype=np.float32), [Fit.UNKNOWN])
        elif apart(float(found.vectors[0, 0]), probe) > _SAME_MODEL:
            raise DataError(
                f"{self.name} gives other scores now than those under its name in the cache.",
                hint="Another model answers to this name than before. Give the new one a name of its own, or remove "
                "the old scores with 'ragtrial cache prune'.",
            )
        self._held = True
