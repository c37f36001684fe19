"""A language model as the rest of ragtrial sees it: a reply that is kept is not paid, and none is asked for twice."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from ragtrial.llm import stopping
from ragtrial.llm.base import Identity, Purpose, Reply, Request
from ragtrial.llm.client import PayingClient
from ragtrial.llm.ledger import Ledger
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.replies import ReplyCache, reply_key
from ragtrial.llm.served import Served, ollama_digest

__all__ = ["KeptModel"]


class KeptModel:
    """A `ragtrial.llm.base.LanguageModel` on a server, with a cache of replies or without."""

    def __init__(
        self, options: ModelOptions, concurrency: int, client: PayingClient, ledger: Ledger, cache: ReplyCache | None
    ) -> None:
        self._options = options
        self._concurrency = concurrency
        self._client = client
        self._ledger = ledger
        self._cache = cache
        self._identity = options.identity()
        self._in_flight: dict[str, Future[Reply]] = {}
        self._models: Counter[str] = Counter()
        self._fingerprints: Counter[str] = Counter()
        self._turn = threading.Lock()

    @property
    def concurrency(self) -> int:
        """How many calls may be in flight."""
        return self._concurrency

    @property
    def window(self) -> int | None:
        """The most tokens of input and output together, as the user says."""
        return self._options.window

    def identity(self) -> Identity:
        """Return what the options say of the model; calls no model."""
        return self._identity

    def served(self) -> Served:
        """Return what the server said of itself with the replies of this process; asks Ollama for its digest."""
        with self._turn:
            models, fingerprints = dict(sorted(self._models.items())), dict(sorted(self._fingerprints.items()))
        return Served(models, fingerprints, ollama_digest(self._options))

    def ask(self, request: Request, purpose: Purpose) -> Reply:
        """Return the reply; see `ragtrial.llm.base.LanguageModel.ask`."""
        key = reply_key(self._identity, request)
        while True:
            stopping.check()
            with self._turn:
                running = self._in_flight.get(key)
                if running is None:
                    mine = self._in_flight[key] = Future[Reply]()
                    break
            try:
                return running.result()._replace(cached=True)
            except stopping.StoppedError:
                continue  # the work that asked first has ended, which need not be this one
        try:
            reply = self._ask(request, key, purpose)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(reply)
            return reply
        finally:
            with self._turn:
                del self._in_flight[key]

    def _ask(self, request: Request, key: str, purpose: Purpose) -> Reply:
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            return self._seen(kept, cached=True)
        paid, reservation = self._client.ask(request, key, purpose)
        answer = paid.answer
        kept = {
            "text": answer.text,
            "finish": answer.finish,
            "model": answer.model,
            "input_tokens": paid.usage.input,
            "output_tokens": paid.usage.output,
            "fingerprint": answer.fingerprint,
            "row": paid.row,
        }
        # First the reply, then the ledger: a process that is killed between the two leaves the call open, and the next
        # one finds the reply and books it. The other way round it would be paid again.
        try:
            if self._cache is not None:
                kept = self._cache.put(self._identity, key, kept)
        finally:
            self._ledger.settle(reservation, paid.row)
        return self._seen(kept, cached=False)

    def _seen(self, kept: Mapping[str, Any], *, cached: bool) -> Reply:
        with self._turn:
            self._models.update([kept["model"]] if kept["model"] else [])
            self._fingerprints.update([kept["fingerprint"]] if kept["fingerprint"] else [])
        return Reply(
            kept["text"], kept["input_tokens"], kept["output_tokens"], kept["finish"], kept["fingerprint"], cached
        )
