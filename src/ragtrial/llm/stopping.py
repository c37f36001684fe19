"""Stopping what runs in several threads: no thread begins another call, and none sleeps through it."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from typing import Final

__all__ = ["STOP", "StoppedError", "check", "pause"]

STOP: Final[ContextVar[threading.Event | None]] = ContextVar("ragtrial-stop", default=None)
"""Set once the work that this thread is part of is to end."""


class StoppedError(Exception):
    """The work that this thread is part of has ended; only `ragtrial.llm.concurrent` sees it."""


def check() -> None:
    """Raise `StoppedError` if the work is to end."""
    stop = STOP.get()
    if stop is not None and stop.is_set():
        raise StoppedError


def pause(seconds: float) -> None:
    """Wait so many seconds, or until the work is to end: then raise `StoppedError`."""
    stop = STOP.get()
    if stop is None:
        time.sleep(seconds)
    elif stop.wait(seconds):
        raise StoppedError
