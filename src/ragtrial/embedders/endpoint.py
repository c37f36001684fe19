"""The backend ``openai``: any server with an OpenAI-compatible ``/v1/embeddings``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.embedders.cutting import Cutter
from ragtrial.errors import DataError
from ragtrial.servers.address import checked_url
from ragtrial.servers.client import Server

__all__ = ["OPENAI_URL", "EndpointEncoder"]

OPENAI_URL: Final = "https://api.openai.com/v1"
_KEY_VARIABLE: Final = "OPENAI_API_KEY"
_HINTS: Final = {404: "Check the url and the name of the model."}


class EndpointEncoder:
    """An `ragtrial.embedders.base.Encoder` on a server (OpenAI, Ollama, vLLM, TEI, llama.cpp ...).

    The server's model is known by its name alone; `ragtrial.embedders.cache` notices when it changes.
    """

    batch = 64

    def __init__(
        self,
        model: str,
        *,
        url: str | None = None,
        max_length: int | None = None,
        tokenizer: str | None = None,
        dimensions: int | None = None,
        key_variable: str | None = None,
    ) -> None:
        """See `ragtrial.embedders.options.ModelOptions`; a ``url`` that holds a secret raises `UsageError`."""
        self._model = model
        self._url = checked_url(url or OPENAI_URL, "http://localhost:11434/v1")
        # OpenAI's own key goes to nobody else unless the user names it.
        self._server = Server(self._url, key_variable or (_KEY_VARIABLE if self._url == OPENAI_URL else None), _HINTS)
        self._cutter = None if max_length is None else Cutter(max_length, tokenizer)
        self._dimensions = dimensions

    def identity(self) -> Identity:
        """Return the address, the model's name, the asked size and how texts are cut; the key is no part of it."""
        served = {"backend": "openai", "url": self._url, "model": self._model, "dimensions": self._dimensions}
        return served | dict(self._cutter.identity() if self._cutter else {})

    @property
    def window(self) -> int | None:
        """After how many tokens texts are cut; None where they are sent whole."""
        return self._cutter.most if self._cutter else None

    def lengths(self, texts: Sequence[str]) -> list[int] | None:
        """Return the number of tokens of each text, none of them cut; None where they are sent whole.

        A server does not tell how many tokens a text has.
        """
        return self._cutter.lengths(texts) if self._cutter else None

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:  # noqa: ARG002  # the prefix says it all
        """Ask for the vectors of one batch."""
        options = {} if self._dimensions is None else {"dimensions": self._dimensions}
        sent = [self._cutter.cut(text) for text in texts] if self._cutter else list(texts)
        answer = self._server.ask(
            lambda client: client.embeddings.with_raw_response.create(
                model=self._model, input=sent, encoding_format="float", **options
            )
        )
        return self._read(answer.http_response.text, len(texts))

    def _read(self, body: str, n_texts: int) -> Vectors:
        try:
            rows = json.loads(body)["data"]
            vectors = [row["embedding"] for row in rows]
            places = [row.get("index", number) for number, row in enumerate(rows)]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"{self._url} answered with something else than embeddings: {self._server.shown(body)}.",
                hint="Check that the url is the base of an OpenAI-compatible server; it mostly ends in /v1.",
            ) from error
        if len(rows) != n_texts:
            raise DataError(f"{self._url} gave {len(rows)} vectors for {n_texts} texts; none of them was used.")
        if not _is_permutation(places):
            raise DataError(f"{self._url} numbered the vectors of {n_texts} texts {places}; none of them was used.")
        try:
            # The answer may come in any order; each vector says which text it belongs to.
            found = np.array([vectors[row] for row in np.argsort(places)], dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise DataError(
                f"{self._url} gave vectors of different sizes, or that are no numbers; none of them was used."
            ) from error
        if self._dimensions is not None and found.shape[1:] != (self._dimensions,):
            raise DataError(
                f"{self._url} was asked for {self._dimensions} dimensions and gave {found.shape[-1]}.",
                hint="The model may not know shorter vectors: leave dimensions out.",
            )
        return found


def _is_permutation(places: Sequence[object]) -> bool:
    return set(places) == set(range(len(places))) if all(isinstance(place, int) for place in places) else False
