"""One LMDB file that several processes share: it grows, is versioned, and is written whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakSet

from ragtrial.errors import DataError, RecordError
from ragtrial.require import require
from ragtrial.storage.canonical import canonical_json
from ragtrial.storage.holding import Holding

if TYPE_CHECKING:
    import lmdb

    Transaction = lmdb.Transaction[Any]

__all__ = ["CACHE_VERSION", "Database", "beginning"]

CACHE_VERSION: Final = 1
"""The version of the format: a newer one is refused, an older one is read."""

_ABOUT: Final = b"about"
_FIRST_MAP: Final = 64 * 2**20

Result = TypeVar("Result")


class Database:
    """Keys and values in ``folder``; LMDB allows one opening of it in a process.

    Threads take turns. LMDB's file must not be open while a process forks, so it is closed before
    and opened again, in parent and child, when it is next used.
    """

    def __init__(self, folder: Path, *, damaged: str, full: str, extra: str = "local") -> None:
        """Open the database, or make it.

        Parameters
        ----------
        folder : Path
        damaged, full : str
            What errors advise to do with a damaged database, and on a full disk.
        extra : str
            The extra that brings LMDB to whoever uses this database.

        Raises
        ------
        RecordError
            It is damaged or was made by a newer version.
        DataError
            The folder cannot be written.
        """
        self.folder = folder
        self._damaged = damaged
        self._full = full
        self._lmdb = require("lmdb", extra, f"The cache {folder}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._holding = Holding(folder / "in-use")
        except OSError as error:
            raise DataError(
                f"Cannot make the cache {folder}: {error.strerror or error}.",
                hint="Set RAGTRIAL_CACHE to a folder that can be written, or to 'off'.",
            ) from error
        self._process = os.getpid()
        self._turn = threading.RLock()
        self._opened: lmdb.Environment | None = None
        _DATABASES.add(self)
        self._check_version()

    def read(self, do: Callable[[Transaction], Result], *, buffers: bool = False) -> Result:
        """Return what ``do`` returns of one consistent state.

        With ``buffers`` it gets values without a copy, which must not be used after it returns.
        """
        while True:
            try:
                with self._turn, self._begin(buffers) as txn:
                    return do(txn)
            except self._lmdb.MapResizedError:
                self._resize(0)  # another process made it grow; 0 takes over its size
            except self._lmdb.Error as error:
                raise RecordError(f"Cannot read the cache {self.folder}: {error}.", hint=self._damaged) from error

    def write(self, do: Callable[[Transaction], object]) -> None:
        """Do something as a whole or not at all; when this returns it is on the disk.

        ``do`` may be called more than once. A full disk, or one that fails, raises `DataError`.
        """
        while True:
            try:
                with self._turn, self._env.begin(write=True) as txn:
                    do(txn)
            except self._lmdb.MapResizedError:
                self._resize(0)
            except self._lmdb.MapFullError:
                self._resize(self._env.info()["map_size"] * 2)
            except self._lmdb.Error as error:
                raise self._unwritable(str(error)) from error
            else:
                return

    def parsed(self, value: bytes) -> dict[str, Any]:
        """Return the JSON object in a value; `RecordError` if it holds none."""
        try:
            return dict(json.loads(value))
        except (ValueError, TypeError) as error:
            raise RecordError(f"The cache {self.folder} is damaged: {error}.", hint=self._damaged) from error

    def file_bytes(self) -> int:
        """Return the size of the file."""
        return (self.folder / "data.mdb").stat().st_size

    def compact(self) -> bool:
        """Write the file anew without its free space, unless another process has it open; return whether it was."""
        with self._turn:
            self.pause()
            try:
                with self._holding.alone() as alone:
                    if alone:
                        self._replace_by_compact_copy()
            except (OSError, self._lmdb.Error) as error:
                raise self._unwritable(str(error)) from error
        return alone

    def pause(self) -> None:
        """Close the file until it is next used."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def close(self) -> None:
        """Let go of the file for good."""
        self.pause()
        self._holding.release()

    def _replace_by_compact_copy(self) -> None:
        part = self.folder / "compact.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            self._env.copy(str(part), compact=True)
            self.pause()
            with (part / "data.mdb").open("rb") as copy:
                os.fsync(copy.fileno())
            (part / "data.mdb").replace(self.folder / "data.mdb")
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _begin(self, buffers: bool) -> Transaction:
        return self._env.begin(buffers=True) if buffers else self._env.begin()

    @property
    def _env(self) -> lmdb.Environment:
        if self._opened is None:
            if self._process != os.getpid():
                self._process, self._holding = os.getpid(), Holding(self.folder / "in-use")
            self._opened = self._open()
        return self._opened

    def _open(self) -> lmdb.Environment:
        try:
            env: lmdb.Environment = self._lmdb.open(
                str(self.folder), map_size=_FIRST_MAP, max_spare_txns=2, readahead=False
            )
        except self._lmdb.Error as error:
            raise RecordError(
                f"Cannot open the cache {self.folder}: {error}.",
                hint=f"{self._damaged} RAGTRIAL_CACHE must be a folder on a local disk.",
            ) from error
        return env

    def _check_version(self) -> None:
        value = self.read(lambda txn: txn.get(_ABOUT))
        if value is None:
            about = canonical_json({"version": CACHE_VERSION}).encode()
            self.write(lambda txn: txn.put(_ABOUT, about, overwrite=False))
            return
        found = self.parsed(value).get("version")
        if not isinstance(found, int) or found > CACHE_VERSION:
            self.close()
            raise RecordError(
                f"The cache {self.folder} has version {found!r}, and this ragtrial knows versions up to "
                f"{CACHE_VERSION}.",
                hint="Upgrade ragtrial, or set RAGTRIAL_CACHE to another folder.",
            )

    def _resize(self, size: int) -> None:
        try:
            self._env.set_mapsize(size)
        except self._lmdb.Error as error:
            raise self._unwritable(f"it cannot grow any more ({error})") from error

    def _unwritable(self, reason: str) -> DataError:
        return DataError(
            f"Cannot write to the cache {self.folder}: {reason}.",
            hint=f"{self._full} Nothing that was stored before is lost.",
        )


def beginning(txn: Transaction, start: bytes) -> Iterator[bytes]:
    """Yield the keys that begin with some bytes, in order."""
    with txn.cursor() as cursor:
        if cursor.set_range(start):
            for key in cursor.iternext(keys=True, values=False):
                if not key.startswith(start):
                    return
                yield key


def _before_fork() -> None:
    for database in _DATABASES:
        database._turn.acquire()
        database.pause()


def _after_fork() -> None:
    for database in _DATABASES:
        database._turn.release()


_DATABASES: Final[WeakSet[Database]] = WeakSet()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
