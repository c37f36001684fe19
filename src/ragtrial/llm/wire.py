"""What goes over the wire: a request as the body of ``/chat/completions``; an answer or a fault read from a body."""

from __future__ import annotations

import json
import re
from typing import Any, Final, Literal, NamedTuple

from ragtrial.llm.base import Request
from ragtrial.llm.options import SERVERS, ModelOptions

__all__ = ["Answer", "Fault", "Usage", "body_of", "fault_of_status", "is_about_schema", "read_answer"]

Kind = Literal["busy", "again", "final"]

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ABOUT_SCHEMA: Final = re.compile(r"response_format|json_schema|schema|grammar|structured", re.IGNORECASE)
_PATH: Final = re.compile(r".*[/\\]", re.DOTALL)
_WHOLE: Final = ("length", "content_filter")
"""Reasons to stop after which an answer without text is one: asking again brings the same."""


class Usage(NamedTuple):
    """The tokens of a call as the server counted them."""

    input: int
    output: int


class Answer(NamedTuple):
    """What a server answered; ``model`` and ``fingerprint`` are what it says of itself."""

    text: str
    finish: str
    model: str | None
    fingerprint: str | None
    usage: Usage | None


class Fault(Exception):  # noqa: N818  # a thing that happened to a call; only a ModelCallError leaves this package
    """Why a call brought no answer.

    ``busy``: the server has too much to do; ``again``: it may work the next time; ``final``: it will not.
    ``usage`` is what was paid all the same, ``unclear`` whether nobody can tell; ``about_schema`` whether it was the
    JSON schema that the server did not like.
    """

    def __init__(
        self,
        kind: Kind,
        message: str,
        *,
        status: int | None = None,
        wait: float | None = None,
        usage: Usage | None = None,
        unclear: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = status
        self.wait = wait
        self.usage = usage
        self.unclear = unclear
        self.about_schema = False


def body_of(options: ModelOptions, request: Request, *, structured: bool) -> dict[str, Any]:
    """Return the body of a request, with its schema if ``structured``."""
    messages = [("system", request.system)] if request.system else []
    messages.append(("user", request.user))
    body: dict[str, Any] = {
        "model": options.model,
        "messages": [{"role": role, "content": _sendable(text)} for role, text in messages],
        # OpenAI's newer models refuse the old name, and most other servers do not know the new one.
        "max_completion_tokens" if options.address == SERVERS["openai"].url else "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    for name in options.omit:
        del body[name]
    if structured and request.schema is not None:
        schema = {"name": "reply", "strict": True, "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if options.effort is not None:
        on_openrouter = options.address == SERVERS["openrouter"].url
        body |= {"reasoning": {"effort": options.effort}} if on_openrouter else {"reasoning_effort": options.effort}
    if options.provider is not None:
        body["provider"] = {"order": [options.provider], "allow_fallbacks": False, "data_collection": "deny"}
    return body | dict(options.extra)


def read_answer(body: str) -> Answer:
    """Return the answer in a body that came with the status 200, or raise the `Fault` that it is."""
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        what = "an empty body" if not body.strip() else "something else than whole JSON"
        raise Fault("again", f"answered with {what}", unclear=True) from None
    if not isinstance(read, dict):
        raise Fault("again", "answered with JSON that is no object", unclear=True)
    if read.get("error"):
        raise _fault_in_body(read["error"])
    usage = _usage(read.get("usage"))
    choices = read.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise Fault("again", "answered without a choice", usage=usage, unclear=usage is None)
    if choice.get("error"):
        raise _fault_in_body(choice["error"])
    finish = choice.get("finish_reason")
    text = _text(message.get("content"))
    if text is None:
        if finish not in _WHOLE and not message.get("refusal"):
            raise Fault("again", "answered without a text", usage=usage, unclear=usage is None)
        text = ""
    return Answer(
        _sendable(text),
        finish if isinstance(finish, str) else "stop",
        _name(read.get("model")),
        _name(read.get("system_fingerprint")),
        usage,
    )


def fault_of_status(status: int, wait: float | None) -> Fault:
    """Return the fault that a status stands for; ``wait`` is what the server said of seconds to wait."""
    if status in (429, 529) or (status == 503 and wait is not None):
        return Fault("busy", f"answered with the status {status}", status=status, wait=wait)
    kind: Kind = "again" if status >= 500 or status in (408, 409, 425) else "final"
    # A server that gave up waiting for the model behind it does not know what that one did.
    unclear = status in (408, 504, 524)
    return Fault(kind, f"answered with the status {status}", status=status, wait=wait, unclear=unclear)


def is_about_schema(status: int | None, body: str) -> bool:
    """Return whether a refusal is of the JSON schema in the request."""
    return status in (400, 404, 405, 415, 422, 500, 501) and _ABOUT_SCHEMA.search(body) is not None


def _fault_in_body(error: object) -> Fault:
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    said = error.get("message", error) if isinstance(error, dict) else error
    digits = str(code)
    status = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) == 3 else 500
    fault = fault_of_status(status, None)
    fault.about_schema = is_about_schema(status, str(said))
    fault.message = f"answered with an error in its body: {said}"
    return fault


def _usage(found: object) -> Usage | None:
    if not isinstance(found, dict):
        return None
    counts = found.get("prompt_tokens"), found.get("completion_tokens")
    if any(type(count) is not int or count < 0 for count in counts):
        return None
    return Usage(*counts)  # type: ignore[arg-type]


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(part for part in parts if isinstance(part, str)) or None


def _name(value: object) -> str | None:
    """Return what a server calls something; of a path, as llama.cpp gives, only its end, which is no secret."""
    if not isinstance(value, str) or not value:
        return None
    name = _PATH.sub("", value) if value.startswith("/") or "\\" in value else value
    return _sendable(name) or None


def _sendable(text: str) -> str:
    """Return a text that UTF-8 can hold: lone surrogates become U+FFFD."""
    return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
