"""The backends ``cohere`` and ``tei``: a server with ``/rerank``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from ragtrial.embedders.base import Identity
from ragtrial.errors import DataError, UsageError
from ragtrial.require import require
from ragtrial.retrievers.rerankers.base import RawScores
from ragtrial.servers.address import checked_url
from ragtrial.servers.answers import shown_body
from ragtrial.servers.keys import NO_KEY, key_in, without_key

__all__ = ["EndpointScorer"]

_EXTRA: Final = "openai"
_RETRIES: Final = 5
_TIMEOUT_SECONDS: Final = 120.0
_HINTS: Final = {
    400: "A text may be longer than the server takes, or empty: use smaller chunks.",
    401: "Check the key in the environment variable that key_variable names.",
    403: "Check the key in the environment variable that key_variable names.",
    404: "Check the url: '/rerank' is put after it.",
    413: "Set RAGTRIAL_BATCH to a smaller number of texts per request.",
    422: "The server may take the other form of question and texts: try the backend 'tei' or 'cohere'.",
    429: "Try again later: scores that were received are kept, and the same command goes on from there.",
}


class EndpointScorer:
    """A `ragtrial.retrievers.rerankers.base.Scorer` on a server (Cohere, Jina, vLLM, llama.cpp; TEI).

    Too many requests (429), errors of the server (5xx) and broken connections are tried again, ever later, or after the
    time that the server asks for (Retry-After).
    """

    batch = 32  # what text-embeddings-inference takes at most unless told otherwise

    def __init__(
        self, model: str, *, url: str, form: Literal["documents", "texts"], key_variable: str | None = None
    ) -> None:
        """``form``: what the server calls the texts; see `ragtrial.retrievers.rerankers.options.RerankerOptions`.

        A ``url`` that is none or holds a secret raises `UsageError`.
        """
        self._model = model
        self._url = checked_url(url).removesuffix("/rerank")
        self._form = form
        self._variable = key_variable

    def identity(self) -> Identity:
        """Return the address, the form and the model's name; the key is no part of it."""
        return {"backend": "rerank-endpoint", "url": self._url, "form": self._form, "model": self._model}

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Ask for the scores of one batch."""
        openai = require("openai", _EXTRA, f"The server {self._url}")
        # For a path that is not the client's own, not all its versions send the key by themselves.
        headers = {"Authorization": f"Bearer {self._key or NO_KEY}"}
        try:
            body = self._client.post(
                "/rerank", cast_to=str, body=self._question(query, texts), options={"headers": headers}
            )
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.response.text) from error
        except (openai.OpenAIError, OSError) as error:
            raise DataError(
                f"Cannot reach {self._url}: {without_key(str(error), self._key)}", hint="Is the server running?"
            ) from error
        return self._read(body, len(texts))

    def _question(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        asked: dict[str, Any] = {"model": self._model, "query": query, self._form: list(texts)}
        # Left to themselves, the one kind refuses texts beyond its window, and the other may return only the best.
        return asked | ({"truncate": True} if self._form == "texts" else {"top_n": len(texts)})

    def _read(self, body: str, n_texts: int) -> RawScores:
        try:
            found = json.loads(body)
            rows = found["results"] if isinstance(found, dict) else found
            places = [row["index"] for row in rows]
            scores = [row["relevance_score"] if "relevance_score" in row else row["score"] for row in rows]
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(
                f"{self._url} answered with something else than scores: {shown_body(body, self._key)}.",
                hint="Check the url: '/rerank' is put after it.",
            ) from error
        if len(rows) != n_texts:
            raise DataError(f"{self._url} gave {len(rows)} scores for {n_texts} texts; none of them was used.")
        if any(type(place) is not int for place in places) or set(places) != set(range(n_texts)):
            raise DataError(f"{self._url} numbered the scores of {n_texts} texts {places}; none of them was used.")
        if any(type(score) not in (int, float) for score in scores):
            raise DataError(f"{self._url} gave scores that are no numbers; none of them was used.")
        # The best comes first; each score says which text it belongs to.
        return np.array(scores, dtype=np.float64)[np.argsort(places)]

    def _refused(self, status: int, body: str) -> DataError:
        tries = f" after {_RETRIES + 1} tries" if status == 429 or status >= 500 else ""
        return DataError(
            f"{self._url} answered with the status {status}{tries}: {shown_body(body, self._key)}.",
            hint=_HINTS.get(status),
        )

    @property
    def _key(self) -> str | None:
        return key_in(self._variable)

    @cached_property
    def _client(self) -> Any:  # the library is no part of the type check
        openai = require("openai", _EXTRA, f"The server {self._url}")
        if self._variable and not self._key:
            raise UsageError(
                f"{self._url} needs a key, and the environment variable {self._variable} is not set.",
                hint="Set it, or leave key_variable out for a server that needs none.",
            )
        return openai.OpenAI(base_url=self._url, api_key=NO_KEY, max_retries=_RETRIES, timeout=_TIMEOUT_SECONDS)
