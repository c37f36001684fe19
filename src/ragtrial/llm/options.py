"""Which language model to use, and how: the parameters that replies depend on, and how many calls a server takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ragtrial.errors import SpecError, UsageError, did_you_mean
from ragtrial.llm.base import Identity
from ragtrial.servers.address import checked_url
from ragtrial.servers.keys import BASE_URL_VARIABLE, key_in
from ragtrial.storage.canonical import canonical_json

__all__ = ["SERVERS", "ModelOptions", "Server"]

_OPENAI_KEY: Final = "OPENAI_API_KEY"
_OMITTABLE: Final = ("temperature", "seed")
_OURS: Final = ("model", "messages", "max_tokens", "max_completion_tokens", "response_format", "stream", "n")


@dataclass(frozen=True)
class Server:
    """A well-known server: its address, and the environment variable that holds its key, None where none is needed."""

    url: str
    key_variable: str | None = None


SERVERS: Final[Mapping[str, Server]] = {
    "llama.cpp": Server("http://localhost:8080/v1"),
    "ollama": Server("http://localhost:11434/v1"),
    "openai": Server("https://api.openai.com/v1", _OPENAI_KEY),
    "openrouter": Server("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "vllm": Server("http://localhost:8000/v1"),
}
"""The short forms of addresses; local ones are where these programs listen unless told otherwise."""


@dataclass(frozen=True)
class ModelOptions:
    """A chat model behind an OpenAI-compatible server, and everything that the user may say about it.

    - ``model``: the name that the server knows.
    - ``url``: the base of the server, such as ``http://localhost:11434/v1``, or one of `SERVERS`. ``openai`` is the
      server in the environment variable OPENAI_BASE_URL, or in that line of ``.env``, where there is one.
    - ``key_variable``: the name of the environment variable, or of the line in ``.env``, that holds the server's key;
      None takes that of `SERVERS`.
    - ``effort``: the reasoning effort, such as ``low``.
    - ``provider``: who must run the model, as OpenRouter takes it; no other is tried, and it must keep
      nothing of what it is sent.
    - ``concurrency``: most calls in flight on this server; None takes RAGTRIAL_CONCURRENCY.
    - ``window``: most tokens of input and output together.
    - ``structured``: whether to send JSON schemas to the server.
    - ``omit``: parameters that the model refuses: ``temperature``, ``seed``.
    - ``extra``: more of the request's body, such as ``{"top_k": 1}``; it stands in the record.

    What cannot be sent raises `SpecError`, an address that is none or holds a secret `UsageError`.
    """

    model: str
    url: str = "openai"
    key_variable: str | None = None
    effort: str | None = None
    provider: str | None = None
    concurrency: int | None = None
    window: int | None = None
    structured: bool = True
    omit: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise SpecError("A language model needs a name.", hint="Write for example 'gpt-4o-mini'.")
        for name in ("concurrency", "window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SpecError(f"The model {self.model!r} cannot have {name}={value!r}.", hint="Use 1 or more.")
        for name in self.omit:
            if name not in _OMITTABLE:
                raise SpecError(f"{name!r} cannot be left out of a request.", hint=did_you_mean(name, _OMITTABLE))
        object.__setattr__(self, "omit", tuple(sorted(set(self.omit))))
        for name in self.extra:
            if name in _OURS:
                raise SpecError(f"The extra of the model {self.model!r} must not hold {name!r}: ragtrial sets it.")
        try:
            canonical_json(self.extra)
        except (TypeError, ValueError) as error:
            raise SpecError(f"The extra of the model {self.model!r} is no JSON: {error}.") from error
        if self.url == "openai" and (base := key_in(BASE_URL_VARIABLE)):
            object.__setattr__(self, "url", base)
            if self.key_variable is None and key_in(_OPENAI_KEY):
                object.__setattr__(self, "key_variable", _OPENAI_KEY)
        if "/" not in self.url and self.url not in SERVERS:
            raise UsageError(f"There is no server {self.url!r}.", hint=did_you_mean(self.url, SERVERS))
        _ = self.address

    @property
    def address(self) -> str:
        """The server's address in full."""
        known = SERVERS.get(self.url)
        return known.url if known else checked_url(self.url, "http://localhost:11434/v1")

    @property
    def variable(self) -> str | None:
        """The name of the variable that holds the key; None for a server that needs none.

        The key of a well-known server goes to nobody else.
        """
        known = {server.url: server.key_variable for server in SERVERS.values()}
        return self.key_variable or known.get(self.address)

    def identity(self) -> Identity:
        """Return everything that replies depend on beside the request; see `ragtrial.llm.base.LanguageModel`."""
        return {
            "backend": "openai-chat",
            "url": self.address,
            "model": self.model,
            "effort": self.effort,
            "provider": self.provider,
            "structured": self.structured,
            "omit": list(self.omit),
            "extra": dict(self.extra),
        }
