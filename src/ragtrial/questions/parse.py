"""Lines of a questions file to drafts of questions, with every fault of the file at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeGuard

from ragtrial.documents.encoding import decode
from ragtrial.errors import DataError, did_you_mean
from ragtrial.questions.locate import Quote, Range, Wanted

__all__ = ["Draft", "parse_questions"]

_LINE_END = re.compile(r"\r\n?|\n")
_KEYS = ("cluster", "document", "evidence", "id", "question", "stratum", "type")
_RANGE_KEYS = ("document", "end", "start")
_HINT = 'Each line is one object such as {"question": "Who ...?", "evidence": ["a quote from a document"]}.'


class Draft(NamedTuple):
    """A question as its line gives it; the evidence is yet to be located."""

    id: str
    text: str
    wanted: tuple[Wanted, ...]
    document: str | None
    cluster: str | None
    type: str | None
    stratum: str | None
    where: str


class _LineError(Exception):
    """What is wrong with one line; collected, never shown by itself."""


def parse_questions(path: str | Path) -> list[Draft]:
    """Read a file of JSON lines; blank lines, a byte order mark and any line ends are allowed.

    Raises `DataError` with every fault of the file, each with file and line, if there is one.
    """
    path = Path(path)
    drafts: list[Draft] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_LINE_END.split(_text(path)), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            draft = _draft(_object(line), number, where)
            if draft.id in lines:
                raise _LineError(f"the id {draft.id!r} is already that of line {lines[draft.id]}")
        except _LineError as fault:
            faults.append(f"{where}: {fault}.")
            continue
        lines[draft.id] = number
        drafts.append(draft)
    if faults:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise DataError("\n".join([f"The questions file {path} has {count}:", *faults]), hint=_HINT)
    if not drafts:
        raise DataError(f"There is no question in {path}.", hint=_HINT)
    return drafts


def _text(path: Path) -> str:
    try:
        text, _ = decode(path.read_bytes())
    except OSError as error:
        raise DataError(f"Cannot read the questions file {path}: {(error.strerror or str(error)).lower()}.") from error
    except DataError as error:
        raise DataError(f"Cannot read the questions file {path}: {error.message}.", hint=error.hint) from error
    return text.removeprefix("\ufeff")


def _object(line: str) -> Mapping[str, object]:
    try:
        value = json.loads(line, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise _LineError(f"it is not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise _LineError(f"it cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise _LineError(f"it is {_kind(value)}, not an object")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _LineError("it holds half of a surrogate pair, which is no character") from error
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _LineError(f"it has {twice!r} twice")
    return found


def _draft(line: Mapping[str, object], number: int, where: str) -> Draft:
    _only(line, _KEYS)
    text = line.get("question")
    if not isinstance(text, str) or not text.strip():
        raise _LineError("'question' is missing or blank" if text in (None, "") else "'question' is not a text")
    document = _name(line, "document")
    return Draft(
        id=_name(line, "id") or f"q{number}",
        text=text,
        wanted=_evidence(line, document),
        document=document,
        cluster=_name(line, "cluster"),
        type=_name(line, "type"),
        stratum=_name(line, "stratum"),
        where=where,
    )


def _only(given: Mapping[str, object], known: tuple[str, ...], where: str = "") -> None:
    for key in given:
        if key not in known:
            raise _LineError(f"unknown key {key!r}{where}. {did_you_mean(key, known).rstrip('.')}")


def _name(line: Mapping[str, object], key: str) -> str | None:
    value = line.get(key)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _LineError(f"{key!r} is {_kind(value)}, not a text")
    if not value.strip():
        raise _LineError(f"{key!r} is blank")
    return value


def _evidence(line: Mapping[str, object], document: str | None) -> tuple[Wanted, ...]:
    if line.get("evidence") is None:
        raise _LineError("'evidence' is missing")
    given = line["evidence"]
    items = given if isinstance(given, list) else [given]
    return tuple(_wanted(item, number, document) for number, item in enumerate(items, start=1))


def _wanted(item: object, number: int, document: str | None) -> Wanted:
    if isinstance(item, str):
        if not item.strip():
            raise _LineError(f"evidence {number} is blank")
        return Quote(item, document)
    if not isinstance(item, dict):
        raise _LineError(f"evidence {number} is {_kind(item)}, neither a quote nor {{document, start, end}}")
    _only(item, _RANGE_KEYS, f" in evidence {number}")
    place = _name(item, "document") or document
    if place is None:
        raise _LineError(f"evidence {number} has offsets but no document")
    if document is not None and place != document:
        raise _LineError(f"evidence {number} is in document {place!r}, but the question is about {document!r}")
    start, end = item.get("start"), item.get("end")
    if not _is_count(start) or not _is_count(end) or start >= end:
        raise _LineError(f"evidence {number} needs whole numbers 0 <= start < end, not {start!r} and {end!r}")
    return Range(place, start, end)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "a number")
