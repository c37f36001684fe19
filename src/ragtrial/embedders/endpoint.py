"""The backend ``openai``: any server with an OpenAI-compatible ``/v1/embeddings``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np

from ragtrial.embedders.base import Identity, Kind, Vectors
from ragtrial.errors import DataError, UsageError
from ragtrial.require import require
from ragtrial.servers.address import checked_url
from ragtrial.servers.answers import shown_body
from ragtrial.servers.keys import NO_KEY, key_in, without_key

__all__ = ["OPENAI_URL", "EndpointEncoder"]

OPENAI_URL: Final = "https://api.openai.com/v1"
_KEY_VARIABLE: Final = "OPENAI_API_KEY"
_RETRIES: Final = 5
_TIMEOUT_SECONDS: Final = 120.0
_HINTS: Final = {
    400: "A text may be longer than the server takes, or empty: use smaller chunks.",
    401: "Check the key in the environment variable {variable}.",
    403: "Check the key in the environment variable {variable}.",
    404: "Check the url and the name of the model.",
    413: "Set RAGTRIAL_BATCH to a smaller number of texts per request.",
    429: "Try again later: vectors that were received are kept, and the same command goes on from there.",
}


class EndpointEncoder:
    """An `ragtrial.embedders.base.Encoder` on a server (OpenAI, Ollama, vLLM, TEI, llama.cpp ...).

    Too many requests (429) and errors of the server (5xx) are tried again, after the time that the server asks for
    (Retry-After). The server's model is known by its name alone; `ragtrial.embedders.cache` notices when it changes.
    """

    batch = 64
    window: int | None = None

    def __init__(
        self, model: str, *, url: str | None = None, dimensions: int | None = None, key_variable: str | None = None
    ) -> None:
        """See `ragtrial.embedders.options.ModelOptions`; a ``url`` that holds a secret raises `UsageError`."""
        self._model = model
        self._url = checked_url(url or OPENAI_URL, "http://localhost:11434/v1")
        self._dimensions = dimensions
        self._variable = key_variable

    def identity(self) -> Identity:
        """Return the address, the model's name and the asked size; the key is no part of it."""
        return {"backend": "openai", "url": self._url, "model": self._model, "dimensions": self._dimensions}

    def lengths(self, texts: Sequence[str]) -> None:
        """Return None: the server does not tell how many tokens a text has."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:  # noqa: ARG002  # the prefix says it all
        """Ask for the vectors of one batch."""
        options = {} if self._dimensions is None else {"dimensions": self._dimensions}
        openai = require("openai", "openai", f"The server {self._url}")
        try:
            answer = self._client.embeddings.with_raw_response.create(
                model=self._model, input=list(texts), encoding_format="float", **options
            )
            body = answer.http_response.text
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.response.text) from error
        except (openai.OpenAIError, OSError) as error:
            raise DataError(
                f"Cannot reach {self._url}: {without_key(str(error), self._key)}", hint="Is the server running?"
            ) from error
        return self._read(body, len(texts))

    def _read(self, body: str, n_texts: int) -> Vectors:
        try:
            rows = json.loads(body)["data"]
            vectors = [row["embedding"] for row in rows]
            places = [row.get("index", number) for number, row in enumerate(rows)]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"{self._url} answered with something else than embeddings: {shown_body(body, self._key)}.",
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

    def _refused(self, status: int, body: str) -> DataError:
        tries = f" after {_RETRIES + 1} tries" if status == 429 or status >= 500 else ""
        hint = _HINTS.get(status, "").format(variable=self._variable or _KEY_VARIABLE)
        return DataError(
            f"{self._url} answered with the status {status}{tries}: {shown_body(body, self._key)}.", hint=hint or None
        )

    @property
    def _key(self) -> str | None:
        # OpenAI's own key goes to nobody else unless the user names it.
        variable = self._variable or (_KEY_VARIABLE if self._url == OPENAI_URL else None)
        return key_in(variable)

    @cached_property
    def _client(self) -> Any:  # the library is no part of the type check
        openai = require("openai", "openai", f"The server {self._url}")
        if not self._key and (self._variable or self._url == OPENAI_URL):
            raise UsageError(
                f"{self._url} needs a key, and the environment variable {self._variable or _KEY_VARIABLE} is not set.",
                hint="Set it, or name the url of a server that needs none.",
            )
        return openai.OpenAI(
            base_url=self._url, api_key=self._key or NO_KEY, max_retries=_RETRIES, timeout=_TIMEOUT_SECONDS
        )


def _is_permutation(places: Sequence[object]) -> bool:
    return set(places) == set(range(len(places))) if all(isinstance(place, int) for place in places) else False
