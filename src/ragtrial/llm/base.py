"""What the rest of ragtrial knows of language models, and what a backend has to provide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

__all__ = ["Identity", "LanguageModel", "Purpose", "Reply", "Request"]

Identity: TypeAlias = Mapping[str, Any]
"""JSON-ready: everything that the replies of a model depend on beside the request; never a secret, a path or a time."""


@dataclass(frozen=True)
class Request:
    """One call: everything that its reply depends on beside the model.

    Parameters
    ----------
    system, user : str
        The two messages; an empty ``system`` is not sent.
    max_tokens : int
        The most tokens of the reply.
    schema : mapping, optional
        A JSON schema of the reply: sent where the server honours one. What comes back is validated here in any case.
    seed : int
    temperature : float
    """

    system: str
    user: str
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    seed: int = 0
    temperature: float = 0.0


class Purpose(NamedTuple):
    """What a call is for: what the ledger says of it and messages name; replies do not depend on it."""

    step: str
    document: str = ""
    chunk: int | None = None


class Reply(NamedTuple):
    """What a model answered.

    ``finish`` is the server's word for why it stopped ("stop", "length"); ``fingerprint`` the build that answered,
    where the server tells; ``cached`` whether it was paid for before.
    """

    text: str
    input_tokens: int
    output_tokens: int
    finish: str = "stop"
    fingerprint: str | None = None
    cached: bool = False


class LanguageModel(Protocol):
    """A chat model behind some server: a request to a reply, each kept so that none is paid for twice."""

    @property
    def concurrency(self) -> int:
        """How many calls may be in flight; callers need no more threads than that."""

    @property
    def window(self) -> int | None:
        """The most tokens of input and output together; None where that is not known."""

    def identity(self) -> Identity:
        """Return everything that replies depend on beside the request; calls no model."""

    def ask(self, request: Request, purpose: Purpose) -> Reply:
        """Return the reply; may be called from several threads.

        Raises
        ------
        ModelCallError
            No reply came: the connection, the server or the key failed, after all tries.
        SpendingCapError
            The call could pass the spending cap; it was not made.
        """
