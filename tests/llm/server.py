"""A scripted OpenAI-compatible chat server on loopback, and a real small model, for the tests of every package.

Use the fixtures of ``tests/conftest.py``; nothing needs to be imported::

    def test_something(chat_server):
        chat_server.reply = lambda call: '{"title": "a"}'          # what every call gets: a text or an `Outcome`
        chat_server.script += [call_busy(), ...]                   # what the next calls get, before ``reply``
        model = load(ModelOptions("m", url=chat_server.url))
        ...
        assert len(chat_server.calls) == 3

``reply`` and the entries of ``script`` are a text, an `Outcome`, or a function of a `Call` that returns one. The makers
of outcomes are attributes of the fixture's object: ``text``, ``busy``, ``status``, ``error_body``, ``raw``, ``slow``,
``close``, ``no_usage``. A call's ``system``, ``user``, ``seed``, ``schema``, ``body`` and ``key`` say what was sent.
Tokens are counted in words of the messages: the sums are ``chat_server.input_tokens`` and ``output_tokens``.
The fixture gives every test a cache and a ledger of its own (``RAGTRIAL_CACHE``, ``RAGTRIAL_LEDGER`` in ``tmp_path``)
and makes back-off short. For other processes pass ``chat_server.environment``.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Call", "ChatServer", "Outcome"]


@dataclass(frozen=True)
class Call:
    """One request as the server got it; ``number`` counts from 0 in the order of arrival."""

    number: int
    body: dict[str, Any]
    key: str | None

    @property
    def system(self) -> str:
        return "".join(message["content"] for message in self.body["messages"] if message["role"] == "system")

    @property
    def user(self) -> str:
        return self.body["messages"][-1]["content"]

    @property
    def seed(self) -> int | None:
        return self.body.get("seed")

    @property
    def schema(self) -> dict[str, Any] | None:
        return self.body["response_format"]["json_schema"]["schema"] if "response_format" in self.body else None

    @property
    def input_tokens(self) -> int:
        return sum(len(message["content"].split()) for message in self.body["messages"])


@dataclass(frozen=True)
class Outcome:
    """What the server does with a call: a status, a body, headers, after some seconds; or it closes the connection."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    close: bool = False
    output_tokens: int = 0


Reply = str | Outcome | Callable[[Call], "str | Outcome"]


class ChatServer:
    """See the docstring of this module."""

    def __init__(self) -> None:
        self.reply: Reply = "ok"
        self.script: list[Reply] = []
        self.model = "scripted-model"
        self.fingerprint: str | None = "fp-1"
        self.calls: list[Call] = []
        self.times: list[float] = []
        self.input_tokens = 0
        self.output_tokens = 0
        self.most_in_flight = 0
        self.environment: dict[str, str] = {}
        self._in_flight = 0
        self._turn = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), self._handler())
        self.port: int = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close_down(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()

    def text(self, call: Call, text: str | None, finish: str = "stop", **more: Any) -> Outcome:
        """A good answer with some text; ``more`` goes into the body, ``usage=None`` leaves it out."""
        tokens = len((text or "").split())
        usage = {"prompt_tokens": call.input_tokens, "completion_tokens": tokens}
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
        body = {"model": self.model, "system_fingerprint": self.fingerprint, "choices": [choice], "usage": usage} | more
        return Outcome(json.dumps(body).encode(), output_tokens=tokens)

    def no_usage(self, text: str) -> Reply:
        """A good answer that does not say how many tokens it took."""
        return lambda call: self.text(call, text, usage=None)

    def slow(self, seconds: float, text: str = "ok") -> Reply:
        """A good answer after some seconds."""
        return lambda call: Outcome(self.text(call, text).body, seconds=seconds)

    @staticmethod
    def busy(retry_after: str | None = None) -> Outcome:
        """Too many requests, with or without Retry-After."""
        return ChatServer.status(429, "too many requests", {} if retry_after is None else {"Retry-After": retry_after})

    @staticmethod
    def status(status: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Outcome:
        """Another status, with an error in the body."""
        return Outcome(json.dumps({"error": {"message": message}}).encode(), status, headers or {})

    @staticmethod
    def error_body(message: str = "no", code: object = None) -> Outcome:
        """The status 200 with an error in the body."""
        return Outcome(json.dumps({"error": {"message": message, "code": code}}).encode())

    @staticmethod
    def raw(body: bytes | str, headers: Mapping[str, str] | None = None) -> Outcome:
        """The status 200 with any body."""
        return Outcome(body.encode() if isinstance(body, str) else body, headers=headers or {})

    @staticmethod
    def close() -> Outcome:
        """The connection closes without an answer."""
        return Outcome(close=True)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path != "/v1/chat/completions":
                    self._send(ChatServer.status(404, f"no such path: {self.path}"))
                    return
                outcome = outer._enter(body, self.headers["Authorization"])
                try:
                    self._send(outcome)
                finally:
                    outer._leave()

            def _send(self, outcome: Outcome) -> None:
                time.sleep(outcome.seconds)
                if outcome.close:
                    self.close_connection = True
                    return
                self.send_response(outcome.status)
                headers = {"Content-Type": "application/json", "Content-Length": str(len(outcome.body))}
                for name, value in (headers | dict(outcome.headers)).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outcome.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _enter(self, body: dict[str, Any], key: str | None) -> Outcome:
        with self._turn:
            call = Call(len(self.calls), body, key)
            self.calls.append(call)
            self.times.append(time.monotonic())
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
            reply = self.script.pop(0) if self.script else self.reply
        said = reply(call) if callable(reply) else reply
        outcome = self.text(call, said) if isinstance(said, str) else said
        if outcome.status == 200 and not outcome.close:
            with self._turn:
                self.input_tokens += call.input_tokens
                self.output_tokens += outcome.output_tokens
        return outcome

    def _leave(self) -> None:
        with self._turn:
            self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients are killed in tests."""
