"""A language model that says what a test wants, without any server."""

import json
import threading

from ragtrial.chunkers import asking
from ragtrial.llm.base import Reply

__all__ = ["Scripted", "use_model"]


class Scripted:
    """Answers with ``reply(request, purpose)``: a text, an object for JSON, or an error; keeps what was asked."""

    def __init__(self, reply, window=None, concurrency=3):
        self.reply = reply
        self.window = window
        self.concurrency = concurrency
        self.asked = []
        self._turn = threading.Lock()

    def identity(self):
        return {"backend": "scripted"}

    def ask(self, request, purpose):
        with self._turn:
            self.asked.append((request, purpose))
        said = self.reply(request, purpose)
        if isinstance(said, Exception):
            raise said
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text, len(request.user), len(text))

    def of(self, document):
        """Return the requests about one document, in the order in which they came."""
        return [request for request, purpose in self.asked if purpose.document == document]


def use_model(patch, model):
    """Let every component of this process ask this model."""
    patch.setattr(asking, "load", lambda options: model)
    return model
