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
    "max_length": ("onnx", "sentence-transformers"),
    "url": ("openai",),
    "dimensions": ("openai",),
    "key_variable": ("openai",),
}


@dataclass(frozen=True)
class ModelOptions:
    """A model and everything that the user may say about it.

    - ``model``: ``minilm`` (all-MiniLM-L6-v2 with int8 weights, from the extra ``local``); the path of a folder with
      ``model.onnx`` and ``tokenizer.json`` (``onnx``); a name or folder (``sentence-transformers``); a name that the
      library or the server knows (``fastembed``, ``openai``).
    - ``pooling``, ``max_length``: None takes what the model's files or the table of known models say.
    - ``query_prefix``, ``document_prefix``: likewise; ``task`` fills the ``{task}`` of an instructed model's prefix.
    - ``url``: the base of an OpenAI-compatible server, such as ``http://localhost:11434/v1``; None is OpenAI's own.
    - ``dimensions``: asks the server for shorter vectors.
    - ``key_variable``: the name of the environment variable that holds the server's key.

    An option that the backend does not take raises `SpecError`.
    """

    model: str = "minilm"
    backend: Backend = "onnx"
    url: str | None = None
    pooling: Pooling | None = None
    max_length: int | None = None
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
