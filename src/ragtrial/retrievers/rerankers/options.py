"""Which reranker to use, and how: the parameters that scores depend on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ragtrial.errors import SpecError

__all__ = ["RerankerBackend", "RerankerOptions"]

RerankerBackend: TypeAlias = Literal["onnx", "sentence-transformers", "qwen3", "cohere", "tei"]

_SERVERS: Final[tuple[RerankerBackend, ...]] = ("cohere", "tei")
_ONLY: Final[dict[str, tuple[RerankerBackend, ...]]] = {
    "url": _SERVERS,
    "key_variable": _SERVERS,
    "max_length": ("onnx", "sentence-transformers", "qwen3"),
    "task": ("qwen3",),
}
_QWEN3: Final = re.compile(r"qwen3-reranker(?!.*seq-?cls)", re.IGNORECASE)


@dataclass(frozen=True)
class RerankerOptions:
    """A reranker and everything that the user may say about it.

    - ``model``: a name or folder (``sentence-transformers``, ``qwen3``); the path of a folder with ``model.onnx`` and
      ``tokenizer.json`` (``onnx``); a name that the server knows (``cohere``, ``tei``).
    - ``backend``: ``sentence-transformers`` runs cross-encoders with one score; ``qwen3`` runs Qwen3-Reranker, which is
      a chat model asked for yes or no; ``cohere`` is a server that takes ``documents`` (Cohere, Jina, vLLM, llama.cpp),
      ``tei`` one that takes ``texts`` (text-embeddings-inference).
    - ``url``: what stands before ``/rerank`` in the server's address, such as ``http://localhost:8000/v1``.
    - ``max_length``: most tokens of question and text together; None takes what the model's files say.
    - ``task``: what Qwen3-Reranker is told to look for; None takes its model card's.
    - ``key_variable``: the name of the environment variable that holds the server's key; None sends none.

    An option that the backend does not take, a server without a url, and Qwen3-Reranker on a backend that would run it
    as something else raise `SpecError`.
    """

    model: str
    backend: RerankerBackend = "sentence-transformers"
    url: str | None = None
    max_length: int | None = None
    task: str | None = None
    key_variable: str | None = None

    def __post_init__(self) -> None:
        for name, backends in _ONLY.items():
            if getattr(self, name) is not None and self.backend not in backends:
                raise SpecError(
                    f"The backend {self.backend!r} takes no {name}.",
                    hint=f"Leave {name} out, or use the backend {' or '.join(map(repr, backends))}.",
                )
        if self.backend in _SERVERS and self.url is None:
            raise SpecError(
                f"The backend {self.backend!r} needs the url of its server.",
                hint="Write for example url='http://localhost:8000/v1'; '/rerank' is put after it.",
            )
        if self.backend == "sentence-transformers" and _QWEN3.search(self.model):
            raise SpecError(
                f"{self.model!r} is a chat model and no cross-encoder: this backend may give it a head of random "
                "weights.",
                hint="Use backend='qwen3'.",
            )
