"""The keys of a trial as a TOML file again, so that a reader of the report can run it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["to_toml"]

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(keys: Mapping[str, Any]) -> str:
    """Return keys as TOML: values first, then tables, then arrays of tables; what reads it gets equal keys.

    Values are texts, numbers, true and false, lists of these, and tables of tables; null is left out, as TOML has none.
    """
    return "\n".join(_table(keys, ())).strip() + "\n"


def _table(keys: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    given = {key: value for key, value in keys.items() if value is not None}
    tables = {key: value for key, value in given.items() if isinstance(value, Mapping)}
    arrays = {key: value for key, value in given.items() if _is_array(value)}
    for key, value in given.items():
        if key not in tables and key not in arrays:
            yield f"{_key(key)} = {_value(value)}"
    for key, table in tables.items():
        yield ""
        yield f"[{'.'.join(map(_key, (*path, key)))}]"
        yield from _table(table, (*path, key))
    for key, rows in arrays.items():
        for row in rows:
            yield ""
            yield f"[[{'.'.join(map(_key, (*path, key)))}]]"
            yield from _table(row, (*path, key))


def _is_array(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


def _text(text: str) -> str:
    # A JSON string is a TOML string but for this one character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
