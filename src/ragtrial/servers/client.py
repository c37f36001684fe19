"""A client for one server: with its key, its retries, and refusals in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, TypeVar

from ragtrial.errors import DataError, UsageError
from ragtrial.require import require
from ragtrial.servers.answers import shown_body
from ragtrial.servers.keys import NO_KEY, key_in, without_key

__all__ = ["Server"]

Answer = TypeVar("Answer")

_EXTRA: Final = "openai"
_RETRIES: Final = 5
_TIMEOUT_SECONDS: Final = 120.0
_HINTS: Final = {
    400: "A text may be longer than the server takes, or empty: use smaller chunks.",
    413: "Set RAGTRIAL_BATCH to a smaller number of texts per request.",
    429: "Try again later: what was received is kept, and the same command goes on from there.",
}
_NEEDS_KEY: Final = (401, 403)


class Server:
    """One server that embeds or scores texts.

    Too many requests (429), errors of the server (5xx) and broken connections are tried again, ever later, or after the
    time that the server asks for (Retry-After).
    """

    def __init__(self, url: str, key_variable: str | None, hints: Mapping[int, str]) -> None:
        """``key_variable``: where the key stands, None for a server that needs none; ``hints``: what to do by status,
        beside what is the same for all.
        """
        self.url = url
        self._variable = key_variable
        self._hints = _HINTS | dict(hints)

    @property
    def key(self) -> str | None:
        """The key, None for a server that needs none or where it is not set."""
        return key_in(self._variable)

    @cached_property
    def client(self) -> Any:  # the library is no part of the type check
        """The client of the library openai; a key that is not set raises `UsageError`."""
        if self._variable and not self.key:
            raise UsageError(
                f"{self.url} needs a key, and the environment variable {self._variable} is not set.",
                hint="Set it; for a server that needs none, name its url and leave key_variable out.",
            )
        openai = require("openai", _EXTRA, f"The server {self.url}")
        return openai.OpenAI(
            base_url=self.url, api_key=self.key or NO_KEY, max_retries=_RETRIES, timeout=_TIMEOUT_SECONDS
        )

    def ask(self, request: Callable[[Any], Answer]) -> Answer:
        """Return what a request made of `client`; one that is refused, or reaches nobody, raises `DataError`."""
        openai = require("openai", _EXTRA, f"The server {self.url}")
        try:
            return request(self.client)
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.response.text) from error
        except (openai.OpenAIError, OSError) as error:
            raise DataError(
                f"Cannot reach {self.url}: {without_key(str(error), self.key)}", hint="Is the server running?"
            ) from error

    def shown(self, body: str) -> str:
        """Return the start of an answer in quotes, with the key struck out."""
        return shown_body(body, self.key)

    def _refused(self, status: int, body: str) -> DataError:
        tries = f" after {_RETRIES + 1} tries" if status == 429 or status >= 500 else ""
        hint = self._hints.get(status)
        if status in _NEEDS_KEY:
            place = f"in the environment variable {self._variable}" if self._variable else "that key_variable names"
            hint = f"Check the key {place}."
        return DataError(f"{self.url} answered with the status {status}{tries}: {self.shown(body)}.", hint=hint)
