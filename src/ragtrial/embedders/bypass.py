"""Asking models although the answer is kept: for measuring what an answer costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["bypassing_cache", "cache_is_bypassed"]

_bypassed: ContextVar[bool] = ContextVar("bypassed", default=False)


@contextmanager
def bypassing_cache() -> Iterator[None]:
    """Give a block in which nothing is read from the cache of vectors and scores, and nothing written."""
    token = _bypassed.set(True)
    try:
        yield
    finally:
        _bypassed.reset(token)


def cache_is_bypassed() -> bool:
    """Tell whether this is inside of `bypassing_cache`."""
    return _bypassed.get()
