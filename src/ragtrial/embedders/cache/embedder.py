"""The cache in front of a model: a text is embedded once, whichever arm, trial or process asks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Report, Vectors
from ragtrial.embedders.batches import distinct
from ragtrial.embedders.bypass import cache_is_bypassed
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import Found, VectorCache
from ragtrial.embedders.model import Batch, Fit, ModelEmbedder, count_cut
from ragtrial.embedders.selftest import PROBE
from ragtrial.errors import DataError

__all__ = ["CachedEmbedder"]

_SECONDS_BETWEEN_WRITES: Final = 2.0
"""What a killed run loses at most; writing more often would make small batches wait for the disk."""

_SAME_MODEL: Final = 0.05
"""The largest distance between two vectors of the probe that still are one model's, whatever machine ran it."""


class CachedEmbedder:
    """An `ragtrial.embedders.base.Embedder` that asks its model only for texts that the cache does not hold."""

    def __init__(self, model: ModelEmbedder, cache: VectorCache) -> None:
        """The model is loaded when the first text is missing."""
        self.model = model
        self.cache = cache
        self._identity = model.encoder.identity()
        self._held = False

    @property
    def dimension(self) -> int:
        """The number of components of a vector; loads the model if the cache has none of its vectors."""
        return self.cache.dimension(self._identity) or self.model.dimension

    @property
    def seconds(self) -> float:
        """How long the model has taken so far."""
        return self.model.seconds

    def identity(self) -> Identity:
        """Return everything that the vectors depend on; loads no model."""
        return self.model.identity()

    def embed(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> Vectors:
        """Return the vectors of texts; see `ragtrial.embedders.base.Embedder.embed`.

        Progress tells of the texts that were missing. What is embedded is stored every few seconds.
        """
        if cache_is_bypassed():
            return self.model.embed(texts, kind, progress)
        unique, rows = distinct(texts)
        found = self._found(unique, kind)
        missing = np.flatnonzero(~found.there).tolist()
        for batch in self._embedded([unique[place] for place in missing], kind, progress):
            found.vectors[[missing[place] for place in batch.places]] = batch.vectors
        return found.vectors if len(unique) == len(texts) else found.vectors[rows]

    def missing(self, texts: Sequence[str], kind: Kind = "document") -> list[str]:
        """Return the different texts whose vectors the cache does not hold."""
        unique, _ = distinct(texts)
        return [unique[place] for place in np.flatnonzero(~self.cache.there(self._keys(unique, kind))).tolist()]

    def prepare(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> None:
        """Embed and store what the cache lacks, without holding the vectors."""
        for _ in self._embedded(self.missing(texts, kind), kind, progress):
            pass

    def cut(self, texts: Sequence[str], kind: Kind = "document") -> int | None:
        """Return how many texts are longer than the model's window; for texts in the cache no model is loaded."""
        unique, rows = distinct(texts)
        found = self._found(unique, kind)
        missing = np.flatnonzero(~found.there).tolist()
        if missing:
            found.fits[missing] = self.model.fits([unique[place] for place in missing], kind)
        return count_cut(found.fits[rows])

    def _keys(self, texts: Sequence[str], kind: Kind) -> list[bytes]:
        return vector_keys(self._identity, kind, getattr(self.model.prefixes, kind), texts)

    def _found(self, texts: Sequence[str], kind: Kind) -> Found:
        return self.cache.get(self._keys(texts, kind), self.dimension)

    def _embedded(self, texts: Sequence[str], kind: Kind, progress: Report | None) -> Iterator[Batch]:
        """Embed and store texts, all different, and yield their batches."""
        if not texts:
            return
        self._hold_against_probe()
        keys = self._keys(texts, kind)
        waiting: list[Batch] = []
        written = time.monotonic()
        try:
            for batch in self.model.batches(texts, kind, progress):
                waiting.append(batch)
                if time.monotonic() - written > _SECONDS_BETWEEN_WRITES:
                    self._store(keys, waiting)
                    written = time.monotonic()
                yield batch
        finally:
            self._store(keys, waiting)

    def _store(self, keys: Sequence[bytes], waiting: list[Batch]) -> None:
        """Store batches; the list is empty afterwards."""
        batches = waiting.copy()
        waiting.clear()
        if batches:
            self.cache.put(
                self._identity,
                [keys[place] for batch in batches for place in batch.places],
                np.concatenate([batch.vectors for batch in batches]),
                [fit for batch in batches for fit in batch.fits],
            )

    def _hold_against_probe(self) -> None:
        """Refuse a model that gives other vectors than the one under the same identity that filled the cache.

        A server knows its models by name, and what the name stands for can change.
        """
        if self._held:
            return
        probe = self.model.tested.probe
        keys = vector_keys(self._identity, "document", "", [PROBE])
        size = self.cache.dimension(self._identity)
        found = None if size is None else self.cache.get(keys, size)
        if found is None or not found.there[0]:
            self.cache.put(self._identity, keys, probe, [Fit.WHOLE])
        elif size != probe.shape[1] or float(np.linalg.norm(found.vectors[0] - probe[0])) > _SAME_MODEL:
            raise DataError(
                f"{self.model.name} gives other vectors now than those under its name in the cache.",
                hint="Another model answers to this name than before. Give the new one a name of its own, or remove "
                "the old vectors with 'ragtrial cache prune'.",
            )
        self._held = True
