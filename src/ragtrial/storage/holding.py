"""Who has the cache open: its file may be replaced by a smaller one only when nobody else has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Holding"]


class Holding:
    """A shared lock on a file for as long as this process has the cache open.

    The operating system lets go of it when a process ends, killed or not. Windows has no such lock: there the process
    never counts as alone.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock; waits while another process has the cache for itself."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        _lock(self._file, exclusive=False, wait=True)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Give whether this process has the cache for itself; if so nobody else can open it inside the block.

        A lock changes from shared to exclusive by being let go, so the cache must be closed when this is called.
        """
        alone = _lock(self._file, exclusive=True, wait=False)
        try:
            yield alone
        finally:
            _lock(self._file, exclusive=False, wait=True)

    def release(self) -> None:
        """Let go of the lock."""
        os.close(self._file)


def _lock(file: int, *, exclusive: bool, wait: bool) -> bool:
    try:
        import fcntl
    except ImportError:
        return not exclusive
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
