"""Making the cache smaller."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ragtrial.embedders.cache.store import CachedModel, VectorCache

__all__ = ["Pruned", "prune"]


class Pruned(NamedTuple):
    """The models that were removed, and the size of the file in bytes before and after.

    ``shrunk`` is False where other processes had the cache open (on Windows: always). The space is then free for new
    vectors, but the file stays as large as it was.
    """

    models: tuple[CachedModel, ...]
    bytes_before: int
    bytes_after: int
    shrunk: bool


def prune(cache: VectorCache, choose: Callable[[CachedModel], bool]) -> Pruned:
    """Remove all vectors of the models for which ``choose`` is true, and give their space back to the disk.

    Other processes may go on using the cache; a model that one of them is using fills up again.
    """
    before = cache.database.file_bytes()
    chosen = tuple(model for model in cache.models() if choose(model))
    for model in chosen:
        cache.remove(model.id)
    shrunk = cache.database.compact()
    return Pruned(chosen, before, cache.database.file_bytes(), shrunk)
