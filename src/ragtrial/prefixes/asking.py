"""What the steps that ask a language model about every chunk have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias, TypeVar

from pydantic import Field

from ragtrial.chunkers.asking import chunks_key, language_model, model_options, results_of_documents
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step
from ragtrial.llm.base import LanguageModel

__all__ = ["AskingStep", "Count"]

Count: TypeAlias = Annotated[int, Field(ge=1)]

Result = TypeVar("Result")


@dataclass(frozen=True)
class AskingStep(Step):
    """Base of these steps; its parameters are those of `ragtrial.llm.options.ModelOptions`."""

    positional: ClassVar[int] = 1

    model: str
    url: str = "openai"
    key_variable: str | None = None
    effort: str | None = None
    provider: str | None = None
    window: Count | None = None
    structured: bool = True
    omit: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        model_options(self)  # an option that cannot be is a fault of the expression, not of the run

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model."""
        return True

    def ask_all(self, chunks: ChunkSet, key: object, work: Callable[[LanguageModel, range], Result]) -> list[Result]:
        """Return what the work on each document gives, several documents at a time.

        Parameters
        ----------
        chunks : ChunkSet
        key : hashable
            Everything that the work depends on beside the chunks.
        work : callable, (model, numbers of a document's chunks) -> result
            Asks about the chunks of one document, in their order.

        Raises
        ------
        FailedDocumentsError
            Some documents failed; none of their chunks has anything.
        """
        model = language_model(self)
        ranges = chunks.ranges()
        keys = [(key, chunks_key(chunks, numbers)) for numbers in ranges]
        return results_of_documents(chunks.documents, keys, lambda place: work(model, ranges[place]), model.concurrency)
