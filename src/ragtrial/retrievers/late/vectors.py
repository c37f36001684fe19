"""The late vectors of all chunks of an arm, out of the cache or the model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragtrial.embedders.base import Embedder, Identity, Vectors
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import VectorCache
from ragtrial.embedders.model import Fit
from ragtrial.embedders.vectors import unit_vectors
from ragtrial.retrievers.late.encoder import LateEncoder, Spans
from ragtrial.retrievers.ranking import IntArray
from ragtrial.retrievers.sources import Sources
from ragtrial.storage.canonical import canonical_json

__all__ = ["late_vectors"]

_SECONDS_BETWEEN_WRITES: Final = 2.0
_NAME: Final = "Late chunking"


def late_vectors(
    encoder: LateEncoder, embedder: Embedder, texts: Sequence[str], sources: Sources, cache: VectorCache | None
) -> Vectors:
    """Return the vector of each chunk, of length 1, shape (chunks, dimension).

    A chunk without any token of its document (blanks only) gets the plain vector of its text. A document all of whose
    chunks are in the cache is not read again.
    """
    writer = _Writer(encoder.identity(), cache)
    dimension = embedder.dimension
    vectors = np.empty((len(texts), dimension), dtype=np.float32)
    try:
        for document, chunks in zip(sources.documents, sources.chunks_of_documents(), strict=True):
            spans = [sources.spans(chunk) for chunk in chunks.tolist()]
            missing = writer.fill(vectors, document, spans, chunks)
            if len(missing):
                found = _document(encoder, embedder, document, [(spans[row], texts[chunks[row]]) for row in missing])
                vectors[chunks[missing]] = found
                writer.add(document, [spans[row] for row in missing], found)
    finally:
        writer.store()
    return vectors


def _document(encoder: LateEncoder, embedder: Embedder, document: str, chunks: Sequence[tuple[Spans, str]]) -> Vectors:
    means, counts = encoder.means(document, [spans for spans, _ in chunks])
    texts = [text for _, text in chunks]
    vectors = np.empty((len(texts), embedder.dimension), dtype=np.float32)
    read, blank = np.flatnonzero(counts).tolist(), np.flatnonzero(counts == 0).tolist()
    if read:
        vectors[read] = unit_vectors(means[read], [texts[row] for row in read], embedder.dimension, _NAME)
    if blank:
        vectors[blank] = embedder.embed([texts[row] for row in blank], "document")
    return vectors


class _Writer:
    """Late vectors in the cache: the key holds the whole document and the chunk's spans."""

    def __init__(self, identity: Identity, cache: VectorCache | None) -> None:
        self._identity = identity
        self._cache = cache
        self._keys: list[bytes] = []
        self._vectors: list[Vectors] = []
        self._written = time.monotonic()
        if cache is not None:
            cache.dimension(identity)  # notes that the model was used today

    def fill(self, vectors: Vectors, document: str, spans: Sequence[Spans], rows: IntArray) -> IntArray:
        """Put what the cache holds into rows of ``vectors``; return which of the spans it lacks."""
        if self._cache is None or not spans:
            return np.arange(len(spans))
        found = self._cache.get(self._names(document, spans), vectors.shape[1])
        vectors[rows[found.there]] = found.vectors[found.there]
        return np.flatnonzero(~found.there)

    def add(self, document: str, spans: Sequence[Spans], vectors: Vectors) -> None:
        """Keep vectors, at once or with the next ones."""
        if self._cache is not None:
            self._keys += self._names(document, spans)
            self._vectors.append(vectors)
            if time.monotonic() - self._written > _SECONDS_BETWEEN_WRITES:
                self.store()

    def store(self) -> None:
        """Write what is waiting."""
        keys, vectors = self._keys, self._vectors
        self._keys, self._vectors = [], []
        self._written = time.monotonic()
        if self._cache is not None and keys:
            self._cache.put(self._identity, keys, np.concatenate(vectors), [Fit.UNKNOWN] * len(keys))

    def _names(self, document: str, spans: Sequence[Spans]) -> list[bytes]:
        return vector_keys(self._identity, "document", document, [canonical_json(list(of)) for of in spans])
