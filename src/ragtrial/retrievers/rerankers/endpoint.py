"""The backends ``cohere`` and ``tei``: a server with ``/rerank``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from ragtrial.embedders.base import Identity
from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.base import RawScores
from ragtrial.servers.address import checked_url
from ragtrial.servers.client import Server
from ragtrial.servers.keys import NO_KEY

__all__ = ["EndpointScorer"]

_HINTS: Final = {
    404: "Check the url: '/rerank' is put after it.",
    422: "The server may take the other form of question and texts: try the backend 'tei' or 'cohere'.",
}


class EndpointScorer:
    """A `ragtrial.retrievers.rerankers.base.Scorer` on a server (Cohere, Jina, vLLM, llama.cpp; TEI)."""

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
        self._server = Server(self._url, key_variable, _HINTS)

    def identity(self) -> Identity:
        """Return the address, the form and the model's name; the key is no part of it."""
        return {"backend": "rerank-endpoint", "url": self._url, "form": self._form, "model": self._model}

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Ask for the scores of one batch."""
        # For a path that is not the client's own, not all its versions send the key by themselves.
        headers = {"Authorization": f"Bearer {self._server.key or NO_KEY}"}
        question = self._question(query, texts)
        body = self._server.ask(
            lambda client: client.post("/rerank", cast_to=str, body=question, options={"headers": headers})
        )
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
                f"{self._url} answered with something else than scores: {self._server.shown(body)}.",
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
