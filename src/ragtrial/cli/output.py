"""What commands share: where they print, and how they show progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

    from ragtrial.trial.progress import Advance, Progress

__all__ = ["cap_option", "progress_bars", "talk", "tell", "threads_option", "time_left"]

Command = TypeVar("Command", bound=Callable[..., object])


def threads_option(command: Command) -> Command:
    """Add the option --threads, which worker processes get by way of the environment."""

    def set_threads(context: click.Context, parameter: click.Parameter, value: int | None) -> None:  # noqa: ARG001
        if value is not None:
            os.environ["RAGTRIAL_THREADS"] = str(value)

    return click.option(
        "--threads",
        type=click.IntRange(min=1),
        expose_value=False,
        callback=set_threads,
        help="Threads of local models. [default: RAGTRIAL_THREADS, else their library's]",
    )(command)


def cap_option(command: Command) -> Command:
    """Add the option --cap, which the ledger gets by way of the environment."""

    def set_cap(context: click.Context, parameter: click.Parameter, value: str | None) -> None:  # noqa: ARG001
        if value is not None:
            os.environ["RAGTRIAL_CAP"] = value

    return click.option(
        "--cap",
        metavar="DOLLARS",
        expose_value=False,
        callback=set_cap,
        help="Refuse calls to language models that could take the ledger's total above it. [default: RAGTRIAL_CAP]",
    )(command)


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
    def bar(stage: str, total: int) -> Iterator[Advance]:
        if not console.is_terminal or not total:
            yield _unseen
            return
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
        )
        with Bars(*columns, console=console, transient=True) as bars:
            task = bars.add_task(stage, total=total, left="")

            def advance(steps: int = 1, seconds_left: float | None = None) -> None:
                bars.update(task, advance=steps, left=time_left(seconds_left))

            yield advance

    return bar


def time_left(seconds: float | None) -> str:
    """Return how long the rest takes, in words as coarse as the estimate."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h left"


def _unseen(steps: int = 1, seconds_left: float | None = None) -> None:
    pass
