"""One call per chunk, in document order: the walk over a document that gives each chunk its fields.

Source: METHODS section 3.2; MDK appendix N.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.fields import FieldName, Fields
from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import SEEDS, ask_object
from ragtrial.llm.prompt import Prompt
from ragtrial.prefixes.keys import RollingKeys
from ragtrial.prefixes.reply import checked_fields, schema_of

__all__ = [
    "PLACES",
    "Asking",
    "Described",
    "Keys",
    "describe_by_field",
    "describe_document",
    "output_cap",
]

Keys: TypeAlias = Literal["rolling", "hidden"]

PLACES: Final = ("section", "position", "previous", "keys", "chunk")
"""What a prompt may have places for; it must have the last."""

_NO_SECTION: Final = "(no section)"
_FIRST: Final = "(first chunk)"
_UNAVAILABLE: Final = "(unavailable)"
_NO_KEYS: Final = "(none yet — this is the first chunk)"
_HIDDEN: Final = "(not provided)"

_CAP: Final = 1000
_CAP_OF_REASONING: Final = 2000


class Asking(NamedTuple):
    """Whom to ask and how: the most tokens of a reply, the first seed, and the step's name for the ledger."""

    model: LanguageModel
    max_tokens: int
    seed: int
    step: str

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the call and of its repetitions."""
        return tuple(self.seed + number for number in SEEDS)


class Described(NamedTuple):
    """The fields of a document's chunks, None where no reply could be read; and how many calls were asked again."""

    fields: tuple[Fields | None, ...]
    asked_again: int


def output_cap(given: int | None, effort: str | None) -> int:
    """Return the most tokens of a reply: as given, else the study's for a plain or for a reasoning model."""
    return given or (_CAP if effort is None else _CAP_OF_REASONING)


def describe_document(asking: Asking, prompt: Prompt, chunks: ChunkSet, numbers: range, keys: Keys) -> Described:
    """Ask for all fields of each chunk of a document; see `ragtrial.prefixes.enriched.Enriched`."""
    dictionary = RollingKeys()
    described: list[Fields | None] = []
    asked_again = 0
    for position, number in enumerate(numbers):
        values = _context(chunks, numbers, number, _previous(described)) | {
            "keys": _HIDDEN if keys == "hidden" else dictionary.lines() or _NO_KEYS
        }
        asked = ask_object(
            asking.model,
            _request(prompt, values, asking, schema_of()),
            Purpose(asking.step, chunks.documents[int(chunks.document[number])].id, position),
            # What a reply says of its own key is checked against the keys before it.
            lambda reply: checked_fields(reply, dictionary),
            asking.seeds,
        )
        asked_again += asked.attempts > 1
        described.append(asked.value)
        if asked.value is not None:
            dictionary.add(asked.value.key, position)
    return Described(tuple(described), asked_again)


def describe_by_field(
    asking: Asking, prompts: Mapping[FieldName, Prompt], chunks: ChunkSet, numbers: range
) -> Described:
    """Ask for each field of each chunk of a document by its own call; see `ragtrial.prefixes.per_field.PerField`."""
    described: list[Fields | None] = []
    asked_again = 0
    for position, number in enumerate(numbers):
        values = _context(chunks, numbers, number, _previous(described))
        purpose = Purpose(asking.step, chunks.documents[int(chunks.document[number])].id, position)
        found: dict[str, Any] = {}
        for name, prompt in prompts.items():
            request = _request(prompt, values, asking, schema_of(name))
            asked = ask_object(asking.model, request, purpose, checked_fields, asking.seeds)
            asked_again += asked.attempts > 1
            if asked.value is not None:
                found[name] = getattr(asked.value, name)
        described.append(Fields(**found) if found else None)
    return Described(tuple(described), asked_again)


def _previous(described: Sequence[Fields | None]) -> str:
    """Return what the next chunk is told of the one before it."""
    if not described:
        return _FIRST
    last = described[-1]
    return last.summary if last is not None and last.summary else _UNAVAILABLE


def _context(chunks: ChunkSet, numbers: range, number: int, previous: str) -> dict[str, str]:
    return {
        "section": " > ".join(chunks.paths[number]) or _NO_SECTION,
        "position": f"{number - numbers.start + 1} of {len(numbers)}",
        "previous": previous,
        "chunk": chunks.text(number),
    }


def _request(prompt: Prompt, values: Mapping[str, str], asking: Asking, schema: Mapping[str, Any]) -> Request:
    system, user = prompt.fill(values)
    return Request(system, user, asking.max_tokens, schema)
