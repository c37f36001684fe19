"""What may be generated for a chunk: by a language model or by its free twin, and how it is put before the chunk.

Source: METHODS section 3.2; MDK section 3 and appendix N.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

__all__ = ["INDEXED", "Entity", "FieldName", "Fields", "render", "united"]

FieldName: TypeAlias = Literal["title", "summary", "keywords", "questions", "entities", "key", "related_keys"]

INDEXED: Final[tuple[FieldName, ...]] = ("title", "summary", "keywords", "questions")
"""The fields that the study indexes, in its order (METHODS section 3)."""


class Entity(NamedTuple):
    """A name in a chunk and its type, such as PERSON or TECH."""

    name: str
    type: str = "CONCEPT"


class Fields(NamedTuple):
    """The generated fields of one chunk; "" and () where there is nothing."""

    title: str = ""
    summary: str = ""
    keywords: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    questions: tuple[str, ...] = ()
    key: str = ""
    related_keys: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping of all fields."""
        row: dict[str, Any] = self._asdict()
        entities = [entity._asdict() for entity in self.entities]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()} | {
            "entities": entities
        }


_LINE_OF: Final[Mapping[FieldName, Callable[[Fields], str]]] = {
    "title": lambda fields: fields.title,
    "summary": lambda fields: fields.summary,
    "keywords": lambda fields: ", ".join(fields.keywords),
    "questions": lambda fields: " ".join(fields.questions),
    "entities": lambda fields: ", ".join(entity.name for entity in fields.entities),
    "key": lambda fields: fields.key,
    "related_keys": lambda fields: ", ".join(fields.related_keys),
}


def render(fields: Fields | None, shown: Sequence[FieldName] = INDEXED) -> str:
    """Return the text that is put before a chunk: the fields that say something, one a line, then a blank line.

    No labels (METHODS section 3, ``enriched``); "" where none of the shown fields says anything.
    """
    if fields is None:
        return ""
    lines = [line for name in shown if (line := _LINE_OF[name](fields))]
    return "\n".join(lines) + "\n\n" if lines else ""


def united(members: Sequence[Fields | None]) -> Fields | None:
    """Return the fields of a chunk made of several: some of the first, some of all (METHODS section 2.2).

    Title, summary and key are those of the first member; keywords, questions and related keys are those of all, each
    once, in the order in which they first occur; entities are alike if name (in lower case) and type are.
    """
    known = [fields for fields in members if fields is not None]
    if not known:
        return None
    first = members[0] or Fields()
    return first._replace(
        keywords=_once(word for fields in known for word in fields.keywords),
        entities=_unique(entity for fields in known for entity in fields.entities),
        questions=_once(question for fields in known for question in fields.questions),
        related_keys=_once(key for fields in known for key in fields.related_keys),
    )


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _unique(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    found: dict[tuple[str, str], Entity] = {}
    for entity in entities:
        found.setdefault((entity.name.lower(), entity.type), entity)
    return tuple(found.values())
