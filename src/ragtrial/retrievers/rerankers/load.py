"""From options to a reranker."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from ragtrial.embedders.settings import RunSettings
from ragtrial.retrievers.rerankers.base import Scorer
from ragtrial.retrievers.rerankers.model import Reranker
from ragtrial.retrievers.rerankers.options import RerankerBackend, RerankerOptions

__all__ = ["load"]


def load(options: RerankerOptions) -> Reranker:
    """Return the reranker that options describe, with the threads, batch and cache of `RunSettings`.

    One process has one reranker for the same options and settings. Nothing heavy is loaded before a score is asked for
    that the cache does not hold.

    Raises
    ------
    UsageError, DataError, MissingExtraError
        The model cannot be used as the options say, its files are not right, or its library is not installed.
    """
    return _shared(options, RunSettings.from_environment(), os.getpid())


@lru_cache(maxsize=8)
def _shared(options: RerankerOptions, settings: RunSettings, process: int) -> Reranker:  # noqa: ARG001  # no cache outlives a fork
    scorer = _BUILDERS[options.backend](options, settings.threads)
    cache = None
    if settings.cache is not None:
        from ragtrial.embedders.cache.store import open_cache

        cache = open_cache(settings.cache)
    return Reranker(f"The reranker {options.model!r}", scorer, cache, settings.batch)


def _onnx(options: RerankerOptions, threads: int | None) -> Scorer:
    from ragtrial.embedders.folder import ModelFolder
    from ragtrial.retrievers.rerankers.onnx import OnnxScorer

    folder = ModelFolder.at(options.model)
    window = folder.window(options.max_length, None)
    return OnnxScorer(folder.weights(), folder.tokenizer, window=window, threads=threads)


def _sentence_transformers(options: RerankerOptions, threads: int | None) -> Scorer:
    from ragtrial.retrievers.rerankers.cross_encoder import CrossEncoderScorer

    return CrossEncoderScorer(options.model, max_length=options.max_length, threads=threads)


def _qwen3(options: RerankerOptions, threads: int | None) -> Scorer:
    from ragtrial.retrievers.rerankers.qwen3 import Qwen3Scorer

    return Qwen3Scorer(options.model, task=options.task, max_length=options.max_length, threads=threads)


def _server(options: RerankerOptions, threads: int | None) -> Scorer:  # noqa: ARG001  # the server has its own
    from ragtrial.retrievers.rerankers.endpoint import EndpointScorer

    assert options.url is not None
    return EndpointScorer(
        options.model,
        url=options.url,
        form="texts" if options.backend == "tei" else "documents",
        key_variable=options.key_variable,
    )


_BUILDERS: Final[Mapping[RerankerBackend, Callable[[RerankerOptions, int | None], Scorer]]] = {
    "onnx": _onnx,
    "sentence-transformers": _sentence_transformers,
    "qwen3": _qwen3,
    "cohere": _server,
    "tei": _server,
}
