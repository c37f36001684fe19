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
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from ragtrial.errors import DataError, SpendingCapError
from ragtrial.llm import stopping
from ragtrial.llm.ledger_rows import Rows, priced, read_rows
from ragtrial.llm.open_calls import OpenCalls
from ragtrial.llm.prices import PICO
from ragtrial.require import require

__all__ = ["Ledger", "Reservation", "open_ledger"]

_EXTRA: Final = "openai"
_LOOK_SECONDS: Final = 0.2


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
        self._ended = threading.Condition()
        filelock = require("filelock", _EXTRA, "The ledger")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open = OpenCalls(path.with_name(f"{path.name}.open"))
            self._lock = filelock.FileLock(f"{path}.lock", thread_local=False)
        except OSError as error:
            raise _unwritable(path, error) from error

    def reserve(self, key: str, row: Mapping[str, Any], bound: int | None) -> Reservation:
        """Return leave to make a call whose price is at most ``bound``; see `Reservation`.

        Calls in flight mostly cost less than they can: where they leave no room, this waits until those of this process
        have ended. Raises `SpendingCapError` if all that was paid, all that is in flight elsewhere and this call could
        pass the cap together, or if there is a cap and no price.
        """
        while True:
            with self._alone():
                if self._fits(row, bound):
                    reservation = Reservation(key, row, bound)
                    self._open.add(reservation.id, {"key": key, "row": dict(row), "bound": bound})
                    return reservation
            stopping.check()
            with self._ended:
                self._ended.wait(_LOOK_SECONDS)

    def settle(self, reservation: Reservation, more: Mapping[str, Any]) -> None:
        """Write the row of a call that was made, or may have been; when this returns it is on the disk."""
        with self._alone():
            self._rows.append({"call": reservation.id, **reservation.row, **more})
            self._open.remove(reservation.id)
        self._tell()

    def drop(self, reservation: Reservation) -> None:
        """Forget a call that cost nothing."""
        with self._alone():
            self._open.remove(reservation.id)
        self._tell()

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

    def _fits(self, row: Mapping[str, Any], bound: int | None) -> bool:
        """Return whether a call fits below the cap now, False if it may do so when others have ended."""
        if self.cap is None:
            return True
        if bound is None:
            raise SpendingCapError(
                f"There is a spending cap, and the price of {row['model']} on {row['server']} is not known.",
                hint=f'Write it into prices.toml: [models."{row["model"]}"] with input and output in dollars per '
                "million tokens (0 for a server of your own).",
            )
        spent, own, others = self._rows.total(), self._open.own(), self._open.others()
        if spent + own + others + bound <= self.cap:
            return True
        if own and spent + others + bound <= self.cap:
            return False
        waiting = f", up to ${(own + others) / PICO:.6f} are in flight" if own + others else ""
        raise SpendingCapError(
            f"The spending cap of ${self.cap / PICO:.6f} could be passed: ${spent / PICO:.6f} are spent{waiting}, and "
            f"the next call of {row['step']!r} costs up to ${bound / PICO:.6f}. It was not made.",
            hint="What was paid for is kept. Raise the cap (--cap or RAGTRIAL_CAP) and run the same command again; see "
            f"'ragtrial ledger {self.path}'.",
        )

    def _tell(self) -> None:
        with self._ended:
            self._ended.notify_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            with self._turn, self._lock:
                yield
        except (OSError, NotImplementedError) as error:  # the latter where a file system has no locks
            raise _unwritable(self.path, error) from error


def _unwritable(path: Path, error: Exception) -> DataError:
    return DataError(
        f"Cannot write the ledger {path}: {getattr(error, 'strerror', None) or error}.",
        hint="Set RAGTRIAL_LEDGER to a file on a local disk that can be written.",
    )


def open_ledger(path: Path, cap: int | None) -> Ledger:
    """Return this process's one ledger in a file; ``cap`` in picodollars, None for none."""
    return _opened(path.absolute(), cap, os.getpid())


@cache
def _opened(path: Path, cap: int | None, process: int) -> Ledger:  # noqa: ARG001  # none outlives a fork
    return Ledger(path, cap)
