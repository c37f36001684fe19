"""``enriched``: title, summary, keywords and questions of a chunk before it, by one call, or by a library for free."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from ragtrial.chunkers.asking import model_identity
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.fields import INDEXED, FieldName
from ragtrial.errors import SpecError
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.prefixes.asking import AskingStep, Count
from ragtrial.prefixes.enrichment import PLACES, Asking, Described, Keys, describe_document, output_cap
from ragtrial.prefixes.extractive import extract_fields, library_version

__all__ = ["EXTRACTIVE", "Enriched", "counts_of"]

EXTRACTIVE: Final = "extractive"
"""In place of a model's name: keywords and lead sentences by a library."""


@dataclass(frozen=True)
class Enriched(AskingStep):
    """Put what a language model says of each chunk before it (MDK's E; METHODS section 3.2).

    One call a chunk, in document order, several documents at a time. The model sees the chunk, its section path and
    position, the summary of the chunk before and the keys given so far, and answers with all fields at once. A reply
    that is no JSON object is asked for again with the next three seeds; then the chunk has no fields, and is counted.
    A document of which a call fails is not enriched at all.

    Parameters
    ----------
    model : str
        The language model, or "extractive": the first sentences and the keywords of a chunk by a library, which costs
        nothing. All other parameters but ``fields`` are those of a model.
    url, key_variable, effort, provider, window, structured, omit
        See `ragtrial.llm.options.ModelOptions`.
    fields : tuple of str
        The fields that are put before the chunk, in this order, those that are not empty one a line. All fields are
        asked for in any case.
    keys : {"rolling", "hidden"}
        Whether the model is shown the keys given so far (MDK's E) or not (E-K).
    seed : int
        The first seed.
    max_tokens : int, optional
        The most tokens of a reply; None: 1,000, and 2,000 with an ``effort``.
    prompt : str
        A prompt of ragtrial's, or the path of one's own.
    """

    spec_name: ClassVar[str] = "enriched"

    fields: tuple[FieldName, ...] = INDEXED
    keys: Keys = "rolling"
    seed: Annotated[int, Field(ge=0)] = 0
    max_tokens: Count | None = None
    prompt: str = "enrichment"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.fields or len(set(self.fields)) < len(self.fields):
            raise SpecError(f"{self.spec_name} needs fields, each of them once.")
        if self.model == EXTRACTIVE and replace(self, model="m", fields=INDEXED) != Enriched("m"):
            raise SpecError(f"{self.spec_name}({EXTRACTIVE!r}) asks no model and takes no other parameter than fields.")

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model."""
        return self.model != EXTRACTIVE

    @property
    def gives_keys(self) -> bool:
        """Whether the step generates keys: a library gives none."""
        return self.asks_model

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values: model and prompt by what they are."""
        given = super().parameters()
        if self.model == EXTRACTIVE:
            return {name: given[name] for name in ("component", "model", "fields")} | {"library": library_version()}
        cap = output_cap(self.max_tokens, self.effort)
        return given | {"max_tokens": cap} | model_identity(self, self._prompt())

    to_dict = parameters

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their fields, the shown ones in front of whatever prefix they have."""
        if self.model == EXTRACTIVE:
            extracted = chunks.with_fields(extract_fields(chunks), self.fields)
            return extracted.noting({"step": self.spec_name, "given": str(self), "chunks": len(chunks)})
        prompt = self._prompt()
        cap = output_cap(self.max_tokens, self.effort)
        # The fields that are shown change no reply.
        key = (replace(self, fields=INDEXED), prompt.sha256)
        described = self.ask_all(
            chunks,
            key,
            lambda model, numbers: describe_document(
                Asking(model, cap, self.seed, self.spec_name), prompt, chunks, numbers, self.keys
            ),
        )
        enriched = chunks.with_fields([fields for one in described for fields in one.fields], self.fields)
        return enriched.noting({"step": self.spec_name, "given": str(self)} | counts_of(described))

    def _prompt(self) -> Prompt:
        return load_prompt(self.prompt, PLACES, PLACES[-1:])


def counts_of(described: list[Described]) -> dict[str, int]:
    """Return what a report says of generated fields.

    ``without_fields`` are the chunks for which no reply could be read, ``asked_again`` the calls that needed another
    seed, ``keyed`` the chunks with a key, and ``reused`` those of them whose key the document had before.
    """
    keys = [[fields.key for fields in one.fields if fields is not None and fields.key] for one in described]
    return {
        "chunks": sum(len(one.fields) for one in described),
        "without_fields": sum(fields is None for one in described for fields in one.fields),
        "asked_again": sum(one.asked_again for one in described),
        "keyed": sum(map(len, keys)),
        "reused": sum(len(own) - len(set(own)) for own in keys),
    }
