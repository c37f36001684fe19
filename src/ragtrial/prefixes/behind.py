"""``behind``: what a step would put before a chunk stands behind it instead.

Source: Mangla 2026, appendix I, whose pilot tried generated fields on both sides of the text: an embedder does not read
both alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.step import Step
from ragtrial.errors import SpecError

__all__ = ["Behind"]


@dataclass(frozen=True)
class Behind(Step):
    """Put what a step gives a chunk behind its text, after a blank line: ``headers + path + behind(enriched('m'))``.

    ``step`` is any step that puts text before chunks; what earlier steps put there stays. Of two such steps the later
    one's text comes last. Budgets of tokens are charged for it as for a prefix, and where they cut a chunk it goes
    first.
    """

    spec_name: ClassVar[str] = "behind"

    step: Step

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.step.puts_text or self.step.needs_keys or isinstance(self.step, Behind):
            raise SpecError(
                f"{self.spec_name} needs a step that puts text before chunks, and {self.step} is none.",
                hint="Write for example headers + behind(path).",
            )

    @property
    def corpus_wide(self) -> bool:
        """Whether the step needs all chunks at once."""
        return self.step.corpus_wide

    @property
    def drawn(self) -> tuple[Step, ...]:
        """The step once for each of its random draws."""
        return tuple(replace(self, step=one) for one in self.step.drawn)

    @property
    def gives_keys(self) -> bool:
        """Whether the step generates keys for chunks."""
        return self.step.gives_keys

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model."""
        return self.step.asks_model

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the step, and ``place``: they tell what it is, and this where it stands."""
        return self.step.parameters() | {"place": self.spec_name}

    to_dict = parameters

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks as the step makes them, with what it put before them moved behind them."""
        put = self.step.apply(chunks)
        # Steps put theirs in front of what is there already.
        added = [new.removesuffix(old) for new, old in zip(put.prefixes, chunks.prefixes, strict=True)]
        moved = (f"\n\n{text.rstrip()}" if text.strip() else "" for text in added)
        suffixes = [old + new for old, new in zip(chunks.suffixes, moved, strict=True)]
        return put.with_prefixes(chunks.prefixes).with_suffixes(suffixes)
