"""From options to an embedder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from ragtrial.embedders.base import Embedder, Encoder
from ragtrial.embedders.conventions import Convention, convention_of, prefixes_of
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.settings import RunSettings

__all__ = ["load", "load_model"]


class _Built(NamedTuple):
    encoder: Encoder
    own_prompts: Mapping[str, str]


def load(options: ModelOptions) -> Embedder:
    """Return the embedder that options describe, with the threads, batch and cache of `RunSettings`.

    One process has one embedder for the same options and settings. Nothing heavy is loaded before a text is embedded
    that the cache does not hold.

    Raises
    ------
    UsageError, DataError, MissingExtraError
        The model cannot be used as the options say, its files are not right, or its library is not installed.
    """
    return _shared(options, RunSettings.from_environment(), os.getpid())


@lru_cache(maxsize=8)
def _shared(options: ModelOptions, settings: RunSettings, process: int) -> Embedder:  # noqa: ARG001  # no model outlives a fork
    model = load_model(options, threads=settings.threads, batch=settings.batch)
    if settings.cache is None:
        return model
    from ragtrial.embedders.cache.embedder import CachedEmbedder
    from ragtrial.embedders.cache.store import open_cache

    return CachedEmbedder(model, open_cache(settings.cache))


def load_model(options: ModelOptions, *, threads: int | None = None, batch: int | None = None) -> ModelEmbedder:
    """Return an embedder that asks its model for every text, without a cache.

    Parameters
    ----------
    options : ModelOptions
    threads : int, optional
        Threads of a local model; None leaves it to its library.
    batch : int, optional
        Texts given to the model at a time; None leaves it to the backend.
    """
    convention = convention_of(options.model)
    built = _BUILDERS[options.backend](options, convention, threads)
    prefixes = prefixes_of(
        options.model,
        convention,
        query=options.query_prefix,
        document=options.document_prefix,
        task=options.task,
        own=built.own_prompts,
    )
    return ModelEmbedder(f"The model {options.model!r}", built.encoder, prefixes, batch)


def _onnx(options: ModelOptions, convention: Convention | None, threads: int | None) -> _Built:
    from ragtrial.embedders.folder import ModelFolder
    from ragtrial.embedders.onnx import OnnxEncoder
    from ragtrial.embedders.wheels import MINILM, minilm_files

    if options.model == MINILM:
        assert convention is not None
        files = minilm_files()
        pooling, window = options.pooling or convention.pooling, options.max_length or convention.window
        encoder = OnnxEncoder([files.model], files.tokenizer, pooling=pooling, window=window, threads=threads)
        return _Built(encoder, {})
    folder = ModelFolder.at(options.model)
    encoder = OnnxEncoder(
        folder.weights(),
        folder.tokenizer,
        pooling=folder.pooling(options.pooling, convention),
        window=folder.window(options.max_length, convention),
        threads=threads,
    )
    return _Built(encoder, folder.prompts())


def _sentence_transformers(options: ModelOptions, convention: Convention | None, threads: int | None) -> _Built:
    from ragtrial.embedders.sentence_transformers import SentenceTransformersEncoder

    encoder = SentenceTransformersEncoder(options.model, max_length=options.max_length, threads=threads)
    return _Built(encoder, encoder.prompts() if convention is None else {})


def _fastembed(options: ModelOptions, convention: Convention | None, threads: int | None) -> _Built:  # noqa: ARG001
    from ragtrial.embedders.fastembed import FastembedEncoder

    return _Built(FastembedEncoder(options.model, threads=threads), {})


def _openai(options: ModelOptions, convention: Convention | None, threads: int | None) -> _Built:  # noqa: ARG001
    from ragtrial.embedders.endpoint import EndpointEncoder

    encoder = EndpointEncoder(
        options.model,
        url=options.url,
        max_length=options.max_length,
        tokenizer=options.tokenizer,
        dimensions=options.dimensions,
        key_variable=options.key_variable,
    )
    return _Built(encoder, {})


_BUILDERS: Final[Mapping[str, Callable[[ModelOptions, Convention | None, int | None], _Built]]] = {
    "onnx": _onnx,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
    "openai": _openai,
}
