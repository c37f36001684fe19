"""A model that says what a function makes of each request, and remembers every call with its arm."""

from collections.abc import Callable
from threading import Lock

import pytest

from ragtrial.llm.base import Purpose, Reply, Request
from ragtrial.llm.served import Served
from ragtrial.llm.spending import spending_arm


class Scripted:
    window = None
    concurrency = 3

    def __init__(self, say: Callable[[Request], str]) -> None:
        self._say = say
        self._lock = Lock()
        self.calls: list[tuple[str, Purpose, Request]] = []

    def identity(self):
        return {"backend": "scripted"}

    def served(self):
        return Served({"scripted": len(self.calls)}, {}, None)

    def ask(self, request, purpose):
        with self._lock:
            self.calls.append((spending_arm(), purpose, request))
        return Reply(self._say(request), input_tokens=10, output_tokens=5)


@pytest.fixture
def scripted() -> type[Scripted]:
    return Scripted
