"""Which arm the calls of a piece of work are made for: what the ledger says of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["spending_arm", "spending_for"]

_ARM: Final[ContextVar[str]] = ContextVar("ragtrial-arm", default="")


@contextmanager
def spending_for(arm: str) -> Iterator[None]:
    """Book the calls inside the block on an arm, also those in the threads of `ragtrial.llm.concurrent`."""
    token = _ARM.set(arm)
    try:
        yield
    finally:
        _ARM.reset(token)


def spending_arm() -> str:
    """Return the arm that calls are booked on now; empty outside of any."""
    return _ARM.get()
