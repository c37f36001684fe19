"""How a run tells about its progress."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

__all__ = ["Advance", "Progress", "silent"]


class Advance(Protocol):
    """Called when steps of a stage are done."""

    def __call__(self, steps: int = 1, seconds_left: float | None = None) -> None:
        """Tell that so many more steps are done, and how long the rest takes where it cannot be told from them."""


class Progress(Protocol):
    """Opened for each stage with its name and number of steps."""

    def __call__(self, stage: str, total: int) -> AbstractContextManager[Advance]:
        """Return a context whose value is called as steps are done."""


def silent(stage: str, total: int) -> AbstractContextManager[Advance]:  # noqa: ARG001  # says nothing
    """Tell nothing."""
    return nullcontext(_nothing)


def _nothing(steps: int = 1, seconds_left: float | None = None) -> None:
    pass
