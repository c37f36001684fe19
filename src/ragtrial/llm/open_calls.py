"""The calls that are in flight, where other processes can see them: a file a process, locked while it lives."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from ragtrial.require import require

__all__ = ["OpenCalls"]

_EXTRA: Final = "openai"
_LARGE: Final = 1 << 16


class OpenCalls:
    """The calls in flight of all processes, in a folder; every method needs the ledger's lock.

    A process appends a line when a call begins, and one when it ends. A file that nobody holds the lock of was left
    behind by a process that was killed; a last line that is torn belongs to a call that it had not made yet, or that is
    in the ledger already.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._filelock = require("filelock", _EXTRA, "The ledger")
        self._own: dict[str, Mapping[str, Any]] = {}
        self._place = folder / f"{uuid4().hex}.jsonl"
        self._size = 0
        self._alive: Any = None

    def add(self, call: str, what: Mapping[str, Any]) -> None:
        """Note a call of this process."""
        if self._alive is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._alive = self._filelock.FileLock(_lock_of(self._place), thread_local=False)
            self._alive.acquire()
        self._append({"call": call, **what})
        self._own[call] = what

    def remove(self, call: str) -> None:
        """Forget a call of this process."""
        self._own.pop(call, None)
        self._append({"call": call})
        if self._size > _LARGE:
            self._begin_anew()

    def own(self) -> int:
        """Return the highest price of this process's calls, in picodollars."""
        return _highest(self._own.values())

    def others(self) -> int:
        """Return the highest price of all other processes' calls, in picodollars."""
        return sum(_highest(_calls(place).values()) for place in self._places())

    def left_behind(self) -> Iterator[tuple[Path, dict[str, Mapping[str, Any]]]]:
        """Yield the files of processes that were killed, with their calls by id."""
        for place in self._places():
            lock = self._filelock.FileLock(_lock_of(place), thread_local=False)
            try:
                lock.acquire(blocking=False)
            except self._filelock.Timeout:
                continue
            try:
                yield place, _calls(place)
            finally:
                lock.release()

    def forget(self, place: Path) -> None:
        """Remove the file of a process that was killed."""
        place.unlink(missing_ok=True)
        Path(_lock_of(place)).unlink(missing_ok=True)

    def _places(self) -> list[Path]:
        return sorted(path for path in self._folder.glob("*.jsonl") if path != self._place)

    def _append(self, line: Mapping[str, Any]) -> None:
        data = _line(line)
        try:
            with self._place.open("ab") as file:
                file.write(data)
        except OSError:
            if self._place.exists():  # a part of the line would spoil the next one
                os.truncate(self._place, self._size)
            raise
        self._size += len(data)

    def _begin_anew(self) -> None:
        part = self._place.with_suffix(".part")
        part.write_bytes(b"".join(_line({"call": call, **what}) for call, what in self._own.items()))
        self._size = part.stat().st_size
        part.replace(self._place)


def _highest(calls: Iterable[Mapping[str, Any]]) -> int:
    return sum(call["bound"] or 0 for call in calls)


def _lock_of(place: Path) -> str:
    return str(place.with_suffix(".lock"))


def _line(what: Mapping[str, Any]) -> bytes:
    return (json.dumps(what, separators=(",", ":")) + "\n").encode("ascii")


def _calls(place: Path) -> dict[str, Mapping[str, Any]]:
    calls: dict[str, Mapping[str, Any]] = {}
    for line in place.read_bytes().split(b"\n")[:-1]:
        read = json.loads(line)
        if "row" in read:
            calls[read["call"]] = read
        else:
            calls.pop(read["call"], None)
    return calls
