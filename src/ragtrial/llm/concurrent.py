"""The same work for many documents, several at a time: one that fails does not end the others."""

from __future__ import annotations

import contextvars
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from ragtrial.errors import ModelCallError
from ragtrial.llm.stopping import STOP, StoppedError

__all__ = ["map_documents"]

_LOOK_SECONDS: Final = 0.1
_LAST_REPLIES_SECONDS: Final = 5.0

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_documents(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int,
    *,
    done: Callable[[], None] = lambda: None,
) -> list[Result | ModelCallError]:
    """Return ``function`` of each item, or the `ModelCallError` that it raised, in the order of the items.

    Any other error, such as `SpendingCapError`, and Ctrl-C stop all work: calls in flight are waited for and kept, no
    other is made, and the error is raised. Threads know the arm that calls are booked on
    (`ragtrial.llm.spending.spending_for`).

    Parameters
    ----------
    function : callable
    items : sequence
    threads : int
        How many items are worked on at a time; with 1 it happens in this thread.
    done : callable, optional
        Called after each item, by one thread at a time.
    """
    if threads == 1 or len(items) <= 1:
        return [_one(function, item, done) for item in items]
    return _Work(function, items, done).run(min(threads, len(items)))


def _one(function: Callable[[Item], Result], item: Item, done: Callable[[], None]) -> Result | ModelCallError:
    result: Result | ModelCallError
    try:
        result = function(item)
    except ModelCallError as error:
        result = error
    done()
    return result


class _Work(Generic[Item, Result]):
    """The items that are left, and what became of the others."""

    def __init__(self, function: Callable[[Item], Result], items: Sequence[Item], done: Callable[[], None]) -> None:
        self._function = function
        self._items = items
        self._done = done
        self._left = iter(range(len(items)))
        self._results: dict[int, Result | ModelCallError] = {}
        self._failure: BaseException | None = None
        self._turn = threading.Lock()
        self._stop = threading.Event()
        self._ended = threading.Condition()
        self._n_ended = 0

    def run(self, n_threads: int) -> list[Result | ModelCallError]:
        token = STOP.set(self._stop)
        try:
            threads = [
                threading.Thread(
                    target=contextvars.copy_context().run, args=(self._run_thread,), name="documents", daemon=True
                )
                for _ in range(n_threads)
            ]
        finally:
            STOP.reset(token)
        for thread in threads:
            thread.start()
        try:
            self._wait(n_threads, math.inf)
        except BaseException:
            self._stop.set()
            self._wait(n_threads, time.monotonic() + _LAST_REPLIES_SECONDS)
            raise
        if self._failure is not None:
            raise self._failure
        return [self._results[place] for place in range(len(self._items))]

    def _wait(self, n_threads: int, until: float) -> None:
        """Wait for the threads to end. Not by joining them: after Ctrl-C in a join, Python takes a thread for ended."""
        with self._ended:
            while self._n_ended < n_threads and time.monotonic() < until:
                # Without a limit Ctrl-C would wait on some systems.
                self._ended.wait(_LOOK_SECONDS)

    def _run_thread(self) -> None:
        try:
            self._work()
        finally:
            with self._ended:
                self._n_ended += 1
                self._ended.notify()

    def _work(self) -> None:
        while not self._stop.is_set():
            with self._turn:
                place = next(self._left, None)
            if place is None:
                return
            try:
                result = _one(self._function, self._items[place], self._done_in_turn)
            except StoppedError:
                return
            except BaseException as error:  # noqa: BLE001  # raised again in the thread that asked for the work
                with self._turn:
                    self._failure = self._failure or error
                self._stop.set()
                return
            self._results[place] = result

    def _done_in_turn(self) -> None:
        with self._turn:
            self._done()
