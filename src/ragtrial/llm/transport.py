"""One request to a server through the openai library, without its retries: an answer, or a fault in plain words."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Final

from ragtrial.errors import UsageError
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.retry import retry_after
from ragtrial.llm.wire import Answer, Fault, fault_of_status, is_about_schema, read_answer
from ragtrial.require import require
from ragtrial.servers.keys import NO_KEY, key_in, without_key

__all__ = ["Transport"]

_EXTRA: Final = "openai"
_CONNECT_SECONDS: Final = 20.0
_SHOWN: Final = 300
_A_SECRET: Final = 12
"""Shorter keys are words like ``ollama``, which a reply may well hold."""


class Transport:
    """The way to one server; may be used from several threads."""

    def __init__(self, options: ModelOptions, timeout: int) -> None:
        self._options = options
        self._timeout = timeout
        self._making = threading.Lock()
        self._made: tuple[int, str | None, Any] | None = None

    def send(self, body: dict[str, Any]) -> Answer:
        """Return the answer to a request, or raise the `Fault` that came instead.

        A key that is needed and not there raises `UsageError`.
        """
        openai = require("openai", _EXTRA, f"The server {self._options.address}")
        key, client = self._client(openai)
        try:
            answer = client.post("/chat/completions", body=body, cast_to=str)
        except openai.APIStatusError as error:
            fault = fault_of_status(error.status_code, retry_after(error.response.headers))
            said = _body(error.response)
            fault.about_schema = is_about_schema(fault.status, said)
            fault.message += f": {self._shown(said, key)}"
            raise fault from None
        except openai.APITimeoutError:
            raise Fault("again", f"said nothing for {self._timeout} seconds", unclear=True) from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            refused = type(cause).__name__ in ("ConnectError", "ConnectTimeout", "PoolTimeout")
            reason = self._shown(str(cause) or type(cause).__name__, key)
            raise Fault("again", f"cannot be reached: {reason}", unclear=not refused) from None
        except (openai.OpenAIError, OSError, ValueError) as error:
            # What the library or its parts make of a body that is none, such as one that does not decompress.
            raise Fault(
                "again", f"answered with something unreadable: {self._shown(str(error), key)}", unclear=True
            ) from None
        # A server may send back what it was sent.
        text = without_key(answer, key) if key and len(key) >= _A_SECRET else answer
        try:
            return read_answer(text)
        except Fault as fault:
            fault.message = self._shown(fault.message, key)
            raise

    def _client(self, openai: Any) -> tuple[str | None, Any]:
        variable = self._options.variable
        key = key_in(variable)
        if variable and not key:
            raise UsageError(
                f"{self._options.address} needs a key, and {variable} is neither in the environment nor in .env.",
                hint="Set it, or name the url of a server that needs none.",
            )
        if key and not (key.isascii() and key.isprintable()):
            raise UsageError(f"The key in {variable} holds letters that no request can carry.", hint="Copy it again.")
        with self._making:
            if self._made is None or self._made[:2] != (os.getpid(), key):
                client = openai.OpenAI(
                    base_url=self._options.address,
                    api_key=key or NO_KEY,
                    max_retries=0,
                    timeout=openai.Timeout(self._timeout, connect=_CONNECT_SECONDS),
                )
                weakref.finalize(self, client.close)
                self._made = (os.getpid(), key, client)
            return key, self._made[2]

    def _shown(self, text: str, key: str | None) -> str:
        # What a terminal would take for orders is shown as blanks.
        plain = "".join(sign if sign.isprintable() else " " for sign in without_key(text, key)[: 8 * _SHOWN])
        words = " ".join(plain.split())
        return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."


def _body(response: Any) -> str:
    try:
        return str(response.text)
    except Exception:  # noqa: BLE001  # the body of a refusal only adds to the message
        return ""
