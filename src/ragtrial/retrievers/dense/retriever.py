"""The retriever ``dense``: parameters in, ranking out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal

import numpy.typing as npt
from pydantic import Field

from ragtrial.embedders.base import Embedder
from ragtrial.embedders.conventions import Pooling
from ragtrial.embedders.load import load, load_model
from ragtrial.embedders.options import Backend, ModelOptions
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.dense.index import DenseIndex

__all__ = ["Dense"]

Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Dense(Retriever):
    """Exact search by the dot product of vectors of length 1 (METHODS 4).

    All parameters but ``store`` are those of `ragtrial.embedders.options.ModelOptions`: ``dense('minilm')``,
    ``dense('models/bge-base-en-v1.5')``, ``dense('text-embedding-3-small', backend='openai')``. ``store`` is how the
    index keeps its vectors: ``float16`` takes half the memory and rounds scores to about 3 digits.

    Threads, texts at a time and the place of the cache are no parameters, since scores do not
    depend on them: see `ragtrial.embedders.settings.RunSettings`.
    """

    spec_name: ClassVar[str] = "dense"
    positional: ClassVar[int] = 1
    least_score: ClassVar[float | None] = -1.0

    model: str = "minilm"
    backend: Backend = "onnx"
    url: str | None = None
    pooling: Pooling | None = None
    max_length: Count | None = None
    tokenizer: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    task: str | None = None
    dimensions: Count | None = None
    key_variable: str | None = None
    store: Literal["float32", "float16"] = "float32"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options()  # an option that the backend does not take is a fault of the expression, not of the run

    def options(self) -> ModelOptions:
        """Return what is asked of the model."""
        return ModelOptions(**{field.name: getattr(self, field.name) for field in fields(ModelOptions)})

    def embedder(self) -> Embedder:
        """Return the embedder of this process, with the cache in front of it."""
        return load(self.options())

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values.

        Under ``embedder`` stands what the model is by content: the sha256 of its files, prefixes, pooling and window,
        without the versions of the libraries that run it.
        """
        identity = load_model(self.options()).identity()
        return super().parameters() | {"embedder": {key: identity[key] for key in identity if key != "runtime"}}

    to_dict = parameters

    def index(self, texts: Sequence[str], pools: npt.ArrayLike | None = None) -> DenseIndex:
        """Index texts, each in the pool whose number ``pools`` gives; without ``pools`` all are in pool 0."""
        return DenseIndex.build(self.embedder(), texts, pools, self.store)
