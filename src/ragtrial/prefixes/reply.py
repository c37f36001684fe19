"""What becomes of a reply: the checks on each field (METHODS section 3.2), and the schema that asks for them.

Whatever a reply holds, only these fields are read, and each only as what it is meant to be.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from ragtrial.chunkers.fields import Entity, FieldName, Fields

__all__ = ["ENTITY_TYPES", "checked_fields", "schema_of"]

ENTITY_TYPES: Final = ("PERSON", "ORG", "LOC", "TECH", "CONCEPT", "EVENT", "METRIC")

_LONGEST_TEXT: Final = 1000
_LONGEST_KEY: Final = 80

_STRING: Final = {"type": "string"}
_STRINGS: Final = {"type": "array", "items": _STRING}
_SCHEMAS: Final[dict[FieldName, Mapping[str, Any]]] = {
    "title": _STRING,
    "summary": _STRING,
    "keywords": _STRINGS,
    "entities": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": _STRING, "type": {"type": "string", "enum": list(ENTITY_TYPES)}},
            "required": ["name", "type"],
            "additionalProperties": False,
        },
    },
    "questions": _STRINGS,
    "key": _STRING,
    "related_keys": _STRINGS,
}


def schema_of(*names: FieldName) -> dict[str, Any]:
    """Return the JSON schema of an object with these fields and no others; without names, with all of them."""
    chosen = names or tuple(_SCHEMAS)
    return {
        "type": "object",
        "properties": {name: _SCHEMAS[name] for name in chosen},
        "required": list(chosen),
        "additionalProperties": False,
    }


def checked_fields(reply: Mapping[str, Any], known_keys: Container[str] = ()) -> Fields:
    """Return the fields of a reply; what is missing or of a wrong kind is empty, and anything else is not looked at.

    Parameters
    ----------
    reply : mapping
        A JSON object.
    known_keys : container of str
        The keys that were given before this chunk: related keys that are not among them are dropped, so that a reply
        cannot name its own new key.
    """
    keywords = reply.get("keywords")
    return Fields(
        title=_text(reply.get("title")),
        summary=_text(reply.get("summary")),
        keywords=_texts(keywords.split(",") if isinstance(keywords, str) else keywords),
        entities=_entities(reply.get("entities")),
        questions=_texts(_listed(reply.get("questions"))),
        key=_key(reply.get("key")),
        related_keys=_related(reply.get("related_keys"), known_keys),
    )


def _text(value: object) -> str:
    return value.strip()[:_LONGEST_TEXT] if isinstance(value, str) else ""


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(text for item in items if isinstance(item, str) and (text := item.strip()))


def _key(value: object) -> str:
    return value.strip().lower()[:_LONGEST_KEY] if isinstance(value, str) else ""


def _related(value: object, known: Container[str]) -> tuple[str, ...]:
    keys = (text.lower() for text in _texts(_listed(value)))
    return tuple(dict.fromkeys(key for key in keys if key in known))


def _entities(value: object) -> tuple[Entity, ...]:
    items = value if isinstance(value, list) else []
    return tuple(entity for item in items if (entity := _entity(item)) is not None)


def _entity(value: object) -> Entity | None:
    if isinstance(value, str):
        return Entity(value.strip()) if value.strip() else None
    if not isinstance(value, dict):
        return None
    name, kind = _text(value.get("name")), _text(value.get("type"))
    if not name:
        return None
    return Entity(name, kind) if kind else Entity(name)
