"""An arm: a chunker and the steps that follow it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragtrial.chunkers import CHUNKERS
from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step
from ragtrial.documents.model import Document
from ragtrial.errors import SpecError
from ragtrial.specs import Chain, Component, parse_chain
from ragtrial.trial.steps import STEPS

__all__ = ["Arm"]


@dataclass(frozen=True)
class Arm:
    """One way to build an index: ``headers(max=1000) + path``."""

    chunker: Chunker
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, source: str | Component | Chain) -> Arm:
        """Make an arm from its expression or from components; anything else than chunker + steps is a `SpecError`."""
        first, *rest = _components(source)
        if not isinstance(first, Chunker):
            raise SpecError(f"An arm starts with a chunker, and {str(first)!r} is none: {source}.")
        steps: list[Step] = []
        for component in rest:
            if not isinstance(component, Step):
                raise SpecError(f"After its chunker an arm has steps, and {str(component)!r} is none: {source}.")
            if component.needs_keys and not any(step.gives_keys for step in steps):
                raise SpecError(
                    f"{component} needs generated keys, and no step before it generates any: {source}.",
                    hint=f"Write for example headers + enriched('qwen2.5:7b', url='ollama') + {component}.",
                )
            steps.append(component)
        return cls(first, tuple(steps))

    def __str__(self) -> str:
        return str(Chain((self.chunker, *self.steps)))

    @property
    def puts_text(self) -> bool:
        """Whether text that stands in no document may be put before chunks."""
        return any(step.puts_text for step in self.steps)

    @property
    def drawn(self) -> tuple[Arm, ...]:
        """The arm once for each random draw of its steps; itself alone where nothing is drawn."""
        count = max((len(step.drawn) for step in self.steps), default=1)
        return tuple(
            replace(self, steps=tuple(step.drawn[number % len(step.drawn)] for step in self.steps))
            for number in range(count)
        )

    @property
    def gives_keys(self) -> bool:
        """Whether keys are generated for chunks."""
        return any(step.gives_keys for step in self.steps)

    @property
    def asks_model(self) -> bool:
        """Whether building the arm asks a language model, which may cost money."""
        return self.chunker.asks_model or any(step.asks_model for step in self.steps)

    def parameters(self) -> dict[str, object]:
        """Return all effective parameters, JSON-ready."""
        return {"chunker": self.chunker.parameters(), "steps": [step.parameters() for step in self.steps]}

    def fit(self, documents: Iterable[Document]) -> Arm:
        """Return the arm with every parameter settled that depends on the corpus; documents are read more than once."""
        return replace(self, chunker=self.chunker.fit(documents))

    def build(self, documents: Sequence[Document]) -> ChunkSet:
        """Cut a corpus and apply the steps."""
        return self.apply_steps(self.chunker.chunk_documents(documents))

    def apply_steps(self, chunks: ChunkSet) -> ChunkSet:
        """Apply the steps alone, to chunks that arms with one chunker share."""
        for step in self.steps:
            chunks = step.apply(chunks)
        return chunks


def _components(source: str | Component | Chain) -> tuple[Component, ...]:
    if isinstance(source, Component):
        return (source,)
    if isinstance(source, Chain):
        return source.components
    if not isinstance(source, str):
        raise SpecError(f"{source!r} is not an arm.", hint="Write for example 'headers + path'.")
    first, *rest = parse_chain(source)
    if first.name in STEPS and first.name not in CHUNKERS:
        raise SpecError(
            f"An arm starts with a chunker, and {first.name!r} is a step: {source!r}.",
            hint=f"Write for example 'headers + {first.name}'.",
        )
    return (CHUNKERS.build(first), *(STEPS.build(call) for call in rest))
