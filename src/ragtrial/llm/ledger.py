"""Every paid call, one JSON line each, and a cap that no call can pass: also over threads, processes and `kill -9`.

Beside the ledger lies a folder ``<ledger>.open`` with the calls that are in flight, one file a process. What a process
that was killed left there is settled by the next one: see `Ledger.recover`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from ragtrial.errors import DataError, SpendingCapError
from ragtrial.llm.ledger_rows import Rows, priced, read_rows
from ragtrial.llm.open_calls import OpenCalls
from ragtrial.llm.prices import PICO
from ragtrial.require import require

__all__ = ["Ledger", "Reservation", "open_ledger"]

_EXTRA: Final = "openai"


@dataclass(frozen=True)
class Reservation:
    """A call that may be made: the key of its reply, its row as far as it is known, and its highest price.

    ``bound`` is in picodollars, None where no price is known.
    """

    key: str
    row: Mapping[str, Any]
    bound: int | None
    id: str = field(default_factory=lambda: uuid4().hex)


class Ledger:
    """The ledger in a file; open one with `open_ledger`. Threads and processes may share it."""

    def __init__(self, path: Path, cap: int | None) -> None:
        """``cap`` is in picodollars, over all that the file holds; None is none."""
        self.path = path
        self.cap = cap
        self._rows = Rows(path)
        self._turn = threading.Lock()
        filelock = require("filelock", _EXTRA, "The ledger")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open = OpenCalls(path.with_name(f"{path.name}.open"))
            self._lock = filelock.FileLock(f"{path}.lock", thread_local=False)
        except OSError as error:
            raise _unwritable(path, error) from error

    def reserve(self, key: str, row: Mapping[str, Any], bound: int | None) -> Reservation:
        """Return leave to make a call whose price is at most ``bound``; see `Reservation`.

        Raises `SpendingCapError` if all that was paid, all that is in flight and this call could pass the cap together,
        or if there is a cap and no price.
        """
        with self._alone():
            if self.cap is not None:
                self._refuse_above(self.cap, row, bound)
            reservation = Reservation(key, row, bound)
            self._open.add(reservation.id, {"key": key, "row": dict(row), "bound": bound})
        return reservation

    def settle(self, reservation: Reservation, more: Mapping[str, Any]) -> None:
        """Write the row of a call that was made, or may have been; when this returns it is on the disk."""
        with self._alone():
            self._rows.append({"call": reservation.id, **reservation.row, **more})
            self._open.remove(reservation.id)

    def drop(self, reservation: Reservation) -> None:
        """Forget a call that cost nothing."""
        with self._alone():
            self._open.remove(reservation.id)

    def spent(self) -> int:
        """Return what all calls in the ledger cost in picodollars; one that may have been paid counts as paid."""
        with self._alone():
            return self._rows.total()

    def recover(self, find: Callable[[str], Mapping[str, Any] | None]) -> None:
        """Settle what processes that were killed left in flight.

        ``find`` gives, by its key, the rest of the row of a reply that was kept; of any other call nobody knows whether
        it was paid, and it gets a row that says so, with its highest price.
        """
        with self._alone():
            for place, calls in self._open.left_behind():
                booked = {row.get("call") for row in read_rows(self.path)} if calls and self.path.exists() else set()
                for name, call in calls.items():
                    if name not in booked:
                        more = find(call["key"]) or {"price": priced(call["bound"]), "unclear": True}
                        self._rows.append({"call": name, **call["row"], **more})
                self._open.forget(place)

    def _refuse_above(self, cap: int, row: Mapping[str, Any], bound: int | None) -> None:
        if bound is None:
            raise SpendingCapError(
                f"There is a spending cap, and the price of {row['model']} on {row['server']} is not known.",
                hint=f'Write it into prices.toml: [models."{row["model"]}"] with input and output in dollars per '
                "million tokens (0 for a server of your own).",
            )
        spent, in_flight = self._rows.total(), self._open.total()
        if spent + in_flight + bound > cap:
            waiting = f", up to ${in_flight / PICO:.6f} are in flight" if in_flight else ""
            raise SpendingCapError(
                f"The spending cap of ${cap / PICO:.6f} could be passed: ${spent / PICO:.6f} are spent{waiting}, and "
                f"the next call of {row['step']!r} costs up to ${bound / PICO:.6f}. It was not made.",
                hint=f"What was paid for is kept. Raise RAGTRIAL_CAP and run the same command again; see 'ragtrial "
                f"ledger {self.path}'.",
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with self._turn, self._lock:
                yield
        except OSError as error:
            raise _unwritable(self.path, error) from error


def _unwritable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"Cannot write the ledger {path}: {error.strerror or error}.",
        hint="Set RAGTRIAL_LEDGER to a file on a local disk that can be written.",
    )


def open_ledger(path: Path, cap: int | None) -> Ledger:
    """Return this process's one ledger in a file; ``cap`` in picodollars, None for none."""
    return _opened(path.absolute(), cap, os.getpid())


@lru_cache(maxsize=8)
def _opened(path: Path, cap: int | None, process: int) -> Ledger:  # noqa: ARG001  # none outlives a fork
    return Ledger(path, cap)
