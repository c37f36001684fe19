"""What commands share: where they print, and how they show progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from ragtrial.trial.progress import Progress

__all__ = ["progress_bars", "talk", "tell"]


def tell() -> Console:
    """Return the console for results: standard output."""
    from rich.console import Console

    return Console(highlight=False)


def talk() -> Console:
    """Return the console for talk: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def progress_bars() -> Progress:
    """Return progress bars on standard error; silent where that is no terminal."""
    console = talk()

    @contextmanager
    def bar(stage: str, total: int) -> Iterator[Callable[[], None]]:
        if not console.is_terminal or not total:
            yield lambda: None
            return
        from rich.progress import Progress as Bars

        with Bars(console=console, transient=True) as bars:
            task = bars.add_task(stage, total=total)
            yield lambda: bars.advance(task)

    return bar
