"""What every step of an arm is: a component that makes a chunk set of a chunk set."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.specs import Component

__all__ = ["Step"]


@dataclass(frozen=True)
class Step(Component):
    """Base of all steps."""

    corpus_wide: ClassVar[bool] = False
    """Whether what a chunk gets depends on other documents' chunks, so that the step needs all of them at once."""

    puts_text: ClassVar[bool] = True
    """Whether the step may put text before a chunk."""

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model, which may cost money."""
        return False

    @abstractmethod
    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the changed chunk set; the given one stays as it is.

        A step that asks a model raises `FailedDocumentsError` where calls for some documents brought no reply.
        """
