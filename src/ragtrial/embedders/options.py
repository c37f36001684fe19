"""Which model to use, and how: the parameters that vectors depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ragtrial.embedders.conventions import Pooling
from ragtrial.errors import SpecError

__all__ = ["Backend", "ModelOptions"]

Backend: TypeAlias = Literal["onnx", "sentence-transformers", "fastembed", "openai"]

_ONLY: Final[dict[str, tuple[Backend, ...]]] = {
    "pooling": ("onnx",),
    "max_length": ("onnx", "sentence-transformers", "openai"),
    "tokenizer": ("openai",),
    "url": ("openai",),
    "dimensions": ("openai",),
    "key_variable": ("openai",),
}

_LEAST: Final = 8
"""One character may be four tokens, and more than nothing must be left of every text."""


@dataclass(frozen=True)
class ModelOptions:
    """A model and everything that the user may say about it.

    - ``model``: ``minilm`` (all-MiniLM-L6-v2 with int8 weights, from the extra ``local``); the path of a folder with
      ``model.onnx`` and ``tokenizer.json`` (``onnx``); a name or folder (``sentence-transformers``); a name that the
      library or the server knows (``fastembed``, ``openai``).
    - ``pooling``, ``max_length``: None takes what the model's files or the table of known models say. With ``openai``,
      ``max_length`` is after how many tokens a text, its prefix included, is cut before the server gets it; None sends
      whole texts.
    - ``tokenizer``: whose tokens ``max_length`` counts with ``openai``: a ``tokenizer.json``, a folder that has one, or
      a model of the Hugging Face hub (``Qwen/Qwen3-Embedding-0.6B``); None is cl100k_base.
    - ``query_prefix``, ``document_prefix``: likewise; ``task`` fills the ``{task}`` of an instructed model's prefix.
    - ``url``: the base of an OpenAI-compatible server, such as ``http://localhost:11434/v1``; None is OpenAI's own.
    - ``dimensions``: asks the server for shorter vectors.
    - ``key_variable``: the name of the environment variable that holds the server's key.

    An option that the backend does not take, or that means nothing without another, raises `SpecError`.
    """

    model: str = "minilm"
    backend: Backend = "onnx"
    url: str | None = None
    pooling: Pooling | None = None
    max_length: int | None = None
    tokenizer: str | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    task: str | None = None
    dimensions: int | None = None
    key_variable: str | None = None

    def __post_init__(self) -> None:
        for name, backends in _ONLY.items():
            if getattr(self, name) is not None and self.backend not in backends:
                raise SpecError(
                    f"The backend {self.backend!r} takes no {name}.",
                    hint=f"Leave {name} out, or use the backend {' or '.join(map(repr, backends))}.",
                )
        if self.tokenizer is not None and self.max_length is None:
            raise SpecError(
                f"The tokenizer {self.tokenizer!r} has nothing to count.",
                hint="Say with max_length=3000 after how many of its tokens a text is cut, or leave tokenizer out.",
            )
        if self.backend == "openai" and self.max_length is not None and self.max_length < _LEAST:
            raise SpecError(
                f"max_length={self.max_length} leaves too little of a text.", hint=f"It must be {_LEAST} or more."
            )
