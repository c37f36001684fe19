"""A model that says what a function makes of each request, and remembers every call."""

import json
from collections.abc import Callable
from threading import Lock

from ragtrial.llm.base import Purpose, Reply, Request


class Scripted:
    window = None
    concurrency = 4

    def __init__(self, say: Callable[[Request, Purpose], str]) -> None:
        self._say = say
        self._lock = Lock()
        self.calls: list[tuple[Request, Purpose]] = []

    def identity(self):
        return {"backend": "scripted"}

    def ask(self, request, purpose):
        with self._lock:
            self.calls.append((request, purpose))
        return Reply(self._say(request, purpose), input_tokens=10, output_tokens=5)


def question(text):
    return json.dumps({"question": text}, ensure_ascii=False)
