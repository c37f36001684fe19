"""``per_field``: the fields of ``enriched``, each by a call of its own (MDK's PF; METHODS section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ragtrial.chunkers.asking import model_options
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.fields import FieldName
from ragtrial.errors import SpecError
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.prefixes.asking import AskingStep, Count
from ragtrial.prefixes.enriched import counts_of
from ragtrial.prefixes.enrichment import PLACES, Asking, describe_by_field, output_cap

__all__ = ["PerField"]

_PLACES = tuple(place for place in PLACES if place != "keys")


@dataclass(frozen=True)
class PerField(AskingStep):
    """Put generated fields before each chunk, each field asked for alone.

    The calls have the context of ``enriched`` and its instruction for the field, but no keys; the summary of the chunk
    before is the one of its own call, so that without the field "summary" there is none. A field of which no reply
    could be read is empty.

    Parameters
    ----------
    model, url, key_variable, effort, provider, window, structured, omit, seed, max_tokens
        As for ``enriched``.
    fields : tuple of str
        The fields that are asked for and put before the chunk, in this order.
    prompt : str
        The prompts of the fields: ``{field}`` in it stands for the field's name, also in the path of one's own.
    """

    spec_name: ClassVar[str] = "per_field"

    fields: tuple[Literal["title", "summary", "keywords", "questions"], ...] = (
        "title",
        "summary",
        "keywords",
        "questions",
    )
    seed: Annotated[int, Field(ge=0)] = 0
    max_tokens: Count | None = None
    prompt: str = "field-{field}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.fields or len(set(self.fields)) < len(self.fields):
            raise SpecError(f"{self.spec_name} needs fields, each of them once.")

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values: model and prompts by what they are."""
        prompts = {name: dict(prompt.identity()) for name, prompt in self._prompts().items()}
        return super().parameters() | {
            "max_tokens": output_cap(self.max_tokens, self.effort),
            "language_model": dict(model_options(self).identity()),
            "prompt": prompts,
        }

    to_dict = parameters

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their fields in front of whatever prefix they have."""
        prompts = self._prompts()
        cap = output_cap(self.max_tokens, self.effort)
        key = (self, tuple(prompt.sha256 for prompt in prompts.values()))
        described = self.ask_all(
            chunks,
            key,
            lambda model, numbers: describe_by_field(
                Asking(model, cap, self.seed, self.spec_name), prompts, chunks, numbers
            ),
        )
        enriched = chunks.with_fields([fields for one in described for fields in one.fields], self.fields)
        return enriched.noting({"step": self.spec_name, "given": str(self)} | counts_of(described))

    def _prompts(self) -> dict[FieldName, Prompt]:
        return {name: load_prompt(self.prompt.replace("{field}", name), _PLACES, ("chunk",)) for name in self.fields}
