"""How many calls a server gets at a time: as many as it takes, found by asking (additive increase, halving)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from ragtrial.llm import stopping

__all__ = ["Gate", "Pass"]

_LOOK_SECONDS: Final = 0.2


class Pass(NamedTuple):
    """A place in flight; ``era`` counts the halvings before it was given."""

    era: int


class Gate:
    """At most ``limit`` calls in flight at a time, for any number of threads.

    "Too many requests" halves what is allowed, once for all calls that were in flight together; each reply adds one
    over the present number, so that it grows by about one with every round, up to ``limit``.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._allowed = float(limit)
        self._in_flight = 0
        self._era = 0
        self._closed_until = 0.0
        self._changed = threading.Condition()

    @property
    def allowed(self) -> int:
        """The number of calls that may be in flight now."""
        return max(1, int(self._allowed))

    @contextmanager
    def place(self) -> Iterator[Pass]:
        """Wait for a place and hold it; raises `ragtrial.llm.stopping.StoppedError` if the work ends meanwhile."""
        with self._changed:
            while (wait := self._wait_seconds()) > 0:
                stopping.check()
                self._changed.wait(wait)
            self._in_flight += 1
            given = Pass(self._era)
        try:
            yield given
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify_all()

    def replied(self) -> None:
        """Note a reply: the server can take more."""
        with self._changed:
            self._allowed = min(float(self.limit), self._allowed + 1 / self._allowed)
            self._changed.notify_all()

    def busy(self, given: Pass, seconds: float) -> None:
        """Note that the server has too much to do, and asks to be left alone for so many seconds."""
        with self._changed:
            self._closed_until = max(self._closed_until, time.monotonic() + seconds)
            if given.era == self._era:
                self._era += 1
                self._allowed = max(1.0, self._allowed / 2)

    def _wait_seconds(self) -> float:
        closed = self._closed_until - time.monotonic()
        if closed > 0:
            return min(closed, _LOOK_SECONDS)
        return 0.0 if self._in_flight < self.allowed else _LOOK_SECONDS
