"""How a run tells about its progress."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """Opened for each stage with its name and number of steps."""

    def __call__(self, stage: str, total: int) -> AbstractContextManager[Callable[[], None]]:
        """Return a context whose value is called once a step."""


def silent(stage: str, total: int) -> AbstractContextManager[Callable[[], None]]:  # noqa: ARG001  # says nothing
    """Tell nothing."""
    return nullcontext(lambda: None)
