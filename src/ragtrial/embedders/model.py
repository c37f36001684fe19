"""An encoder made into an embedder: prefixes, batches, checks, vectors of length 1."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Encoder, Identity, Kind, Report, Vectors
from ragtrial.embedders.batches import Pace, by_length, distinct, without_surrogates
from ragtrial.embedders.conventions import Prefixes
from ragtrial.embedders.selftest import SelfTest, self_test
from ragtrial.embedders.vectors import unit_vectors
from ragtrial.errors import UsageError

__all__ = ["Batch", "Fit", "ModelEmbedder", "count_cut"]


class Fit(IntEnum):
    """Whether a text fits the model's window; the numbers stand in the cache."""

    UNKNOWN = 0
    WHOLE = 1
    CUT = 2


class Batch(NamedTuple):
    """One batch of embedded texts: their places in the list that was given, their vectors, and how they fit."""

    places: list[int]
    vectors: Vectors
    fits: list[Fit]


class ModelEmbedder:
    """An `ragtrial.embedders.base.Embedder` that asks its model for every text.

    The model is loaded and tested (`ragtrial.embedders.selftest`) when the first text is embedded. One whose vectors
    depend on the other texts of a batch is given one text at a time from then on.
    """

    def __init__(self, name: str, encoder: Encoder, prefixes: Prefixes, batch: int | None = None) -> None:
        """``name`` is for messages; ``batch``: texts at a time, None leaves it to the backend.

        ``seconds`` is how long the model has taken so far.
        """
        self.name = name
        self.encoder = encoder
        self.prefixes = prefixes
        self._batch = batch or encoder.batch
        self.seconds = 0.0

    @cached_property
    def tested(self) -> SelfTest:
        """The result of the self-test; loads the model."""
        return self_test(lambda texts: self._encode(texts, "document", None))

    @property
    def dimension(self) -> int:
        """The number of components of a vector; loads the model."""
        return int(self.tested.probe.shape[1])

    @property
    def batch(self) -> int:
        """How many texts the model gets at a time; loads the model."""
        return 1 if self.tested.alone else self._batch

    def identity(self) -> Identity:
        """Return everything that the vectors depend on; loads no model."""
        return dict(self.encoder.identity()) | {
            "query_prefix": self.prefixes.query,
            "document_prefix": self.prefixes.document,
        }

    def embed(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> Vectors:
        """Return the vectors of texts; see `ragtrial.embedders.base.Embedder.embed`."""
        unique, rows = distinct(texts)
        vectors = np.empty((len(unique), self.dimension), dtype=np.float32)
        for batch in self.batches(unique, kind, progress):
            vectors[batch.places] = batch.vectors
        return vectors if len(unique) == len(texts) else vectors[rows]

    def missing(self, texts: Sequence[str], kind: Kind = "document") -> list[str]:  # noqa: ARG002  # nothing is kept
        """Return nothing: without a cache, nothing can be embedded ahead."""
        return []

    def prepare(self, texts: Sequence[str], kind: Kind = "document", progress: Report | None = None) -> None:
        """Do nothing: without a cache, what is embedded ahead is lost."""

    def batches(self, texts: Sequence[str], kind: Kind, progress: Report | None = None) -> Iterator[Batch]:
        """Yield the vectors of texts batch by batch, each as soon as the model has given it."""
        if not texts:
            return
        dimension, size = self.dimension, self.batch  # loads the model, which is no part of the time below
        start = time.perf_counter()
        self._leave_room(kind)
        prefixed = self.prefixed(texts, kind)
        tokens = self.encoder.lengths(prefixed)
        lengths = [len(text) for text in prefixed] if tokens is None else list(tokens)
        fits = self._fits(tokens, len(texts))
        pace = Pace(lengths, size)
        for places in by_length(lengths, size):
            vectors = self._encode([prefixed[place] for place in places], kind, dimension)
            self.seconds += time.perf_counter() - start
            yield Batch(places, vectors, [fits[place] for place in places])
            if progress is not None:
                progress(pace.after([lengths[place] for place in places]))
            start = time.perf_counter()

    def cut(self, texts: Sequence[str], kind: Kind = "document") -> int | None:
        """Return how many texts are longer than the model's window; None where the backend does not tell."""
        unique, rows = distinct(texts)
        return count_cut(np.array(self.fits(unique, kind), dtype=np.uint32)[rows])

    def fits(self, texts: Sequence[str], kind: Kind) -> list[Fit]:
        """Return for each text whether it fits the model's window."""
        return self._fits(self.encoder.lengths(self.prefixed(texts, kind)), len(texts))

    def prefixed(self, texts: Sequence[str], kind: Kind) -> list[str]:
        """Return the texts as the model gets them."""
        prefix = getattr(self.prefixes, kind)
        return [prefix + without_surrogates(text) for text in texts]

    def _leave_room(self, kind: Kind) -> None:
        prefix, window = getattr(self.prefixes, kind), self.encoder.window
        tokens = self.encoder.lengths([prefix]) if prefix and window is not None else None
        if tokens is not None and window is not None and tokens[0] >= window:
            raise UsageError(
                f"{self.name} sees the first {window} tokens of a text, and the words put before every {kind} are "
                f"{tokens[0]}: all would have one vector.",
                hint="Raise max_length, or take a shorter prefix or task.",
            )

    def _fits(self, tokens: Sequence[int] | None, n_texts: int) -> list[Fit]:
        window = None if tokens is None else self.encoder.window
        if tokens is None or window is None:
            return [Fit.UNKNOWN] * n_texts
        return [Fit.CUT if length > window else Fit.WHOLE for length in tokens]

    def _encode(self, texts: Sequence[str], kind: Kind, dimension: int | None) -> Vectors:
        return unit_vectors(self.encoder.encode(texts, kind), texts, dimension, self.name)


def count_cut(fits: npt.NDArray[np.uint32]) -> int | None:
    """Return how many of the texts are cut; None if that is not known of all of them."""
    return None if (fits == Fit.UNKNOWN).any() else int((fits == Fit.CUT).sum())
