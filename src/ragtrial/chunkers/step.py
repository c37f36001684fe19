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

    puts_text: ClassVar[bool] = True
    """Whether the step may put text before a chunk, or behind it."""

    needs_keys: ClassVar[bool] = False
    """Whether the step needs chunks for which keys were generated."""

    @property
    def corpus_wide(self) -> bool:
        """Whether what a chunk gets depends on other documents' chunks, so that the step needs all of them at once."""
        return False

    @property
    def drawn(self) -> tuple[Step, ...]:
        """The step once for each of its random draws, over which a trial averages a question's scores.

        A step whose result is one alone is its own only draw.
        """
        return (self,)

    @property
    def gives_keys(self) -> bool:
        """Whether the step generates keys for chunks."""
        return False

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model, which may cost money."""
        return False

    @abstractmethod
    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the changed chunk set; the given one stays as it is.

        A step that asks a model raises `FailedDocumentsError` where calls for some documents brought no reply.
        """
