"""Lines of a questions file to drafts of questions, with every fault of the file at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from ragtrial.documents.encoding import decode
from ragtrial.errors import DataError, did_you_mean
from ragtrial.questions.locate import Quote, SectionRef, Wanted
from ragtrial.questions.model import Place

__all__ = ["Draft", "LineError", "Row", "collect", "json_lines", "parse_questions", "read_text"]

_LINE_END = re.compile(r"\r\n?|\n")
_KEYS = (
    "annotators",
    "answers",
    "cluster",
    "document",
    "evidence",
    "id",
    "nuggets",
    "origin",
    "question",
    "stratum",
    "type",
    "withheld",
)
_EVIDENCE_KEYS = ("document", "end", "quote", "section", "start")
_PLACE_KEYS = ("document", "end", "start")
_MOST_CHOICES = 64
_HINT = 'Each line is one object such as {"question": "Who ...?", "evidence": ["a quote from a document"]}.'


class Draft(NamedTuple):
    """A question as its line gives it; the evidence is yet to be located.

    ``slots`` are the numbers of ``wanted`` that are alternatives of each other: any one of them is
    enough. Empty if every piece of evidence stands for itself.
    """

    id: str
    text: str
    wanted: tuple[Wanted, ...]
    document: str | None
    cluster: str | None
    type: str | None
    stratum: str | None
    where: str
    answers: tuple[str, ...] = ()
    nuggets: tuple[str, ...] = ()
    slots: tuple[tuple[int, ...], ...] = ()
    annotators: tuple[tuple[int, ...], ...] = ()
    withheld: tuple[Place, ...] = ()
    origin: str | None = None


class LineError(Exception):
    """What is wrong with one line; collected, never shown by itself."""


class Row(NamedTuple):
    """A question as some file gives it, in the keys of a JSON line, or what is wrong with it; and where it stands."""

    number: int
    where: str
    line: Mapping[str, object] | LineError


def parse_questions(path: str | Path) -> list[Draft]:
    """Read a file of JSON lines; blank lines, a byte order mark and any line ends are allowed.

    Raises `DataError` with every fault of the file, each with file and line, if there is one.
    """
    return collect(path, json_lines(path, read_text(path)))


def json_lines(path: str | Path, text: str) -> Iterator[Row]:
    """Yield the objects of a file of JSON lines."""
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if not line.strip():
            continue
        try:
            content: Mapping[str, object] | LineError = _object(line)
        except LineError as fault:
            content = fault
        yield Row(number, f"{path}:{number}", content)


def collect(path: str | Path, rows: Iterable[Row]) -> list[Draft]:
    """Return the questions of rows; every fault of all of them is one `DataError`."""
    drafts: list[Draft] = []
    faults: list[str] = []
    seen: dict[str, int] = {}
    for number, where, line in rows:
        try:
            if isinstance(line, LineError):
                raise line
            draft = _draft(line, number, where)
            if draft.id in seen:
                raise LineError(f"the id {draft.id!r} is already that of line {seen[draft.id]}")
        except LineError as fault:
            faults.append(f"{where}: {fault}.")
            continue
        seen[draft.id] = number
        drafts.append(draft)
    if faults:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise DataError("\n".join([f"The questions file {path} has {count}:", *faults]), hint=_HINT)
    if not drafts:
        raise DataError(f"There is no question in {path}.", hint=_HINT)
    return drafts


def read_text(path: str | Path) -> str:
    """Return the text of a questions file, in whatever encoding; one that cannot be read raises `DataError`."""
    try:
        text, _ = decode(Path(path).read_bytes())
    except OSError as error:
        raise DataError(f"Cannot read the questions file {path}: {(error.strerror or str(error)).lower()}.") from error
    except DataError as error:
        raise DataError(f"Cannot read the questions file {path}: {error.message}.", hint=error.hint) from error
    return text.removeprefix("\ufeff")


def _object(line: str) -> Mapping[str, object]:
    try:
        value = json.loads(line, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise LineError(f"it is not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise LineError(f"it cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise LineError(f"it is {_kind(value)}, not an object")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise LineError("it holds half of a surrogate pair, which is no character") from error
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LineError(f"it has {twice!r} twice")
    return found


def _draft(line: Mapping[str, object], number: int, where: str) -> Draft:
    _only(line, _KEYS)
    text = line.get("question")
    if not isinstance(text, str) or not text.strip():
        raise LineError("'question' is missing or blank" if text in (None, "") else "'question' is not a text")
    document = _name(line, "document")
    wanted, slots = _evidence(line, document)
    return Draft(
        id=_name(line, "id") or f"q{number}",
        text=text,
        wanted=wanted,
        document=document,
        cluster=_name(line, "cluster"),
        type=_name(line, "type"),
        stratum=_name(line, "stratum"),
        where=where,
        answers=_texts(line, "answers"),
        nuggets=_texts(line, "nuggets"),
        slots=slots,
        annotators=_annotators(line, len(wanted), slots),
        withheld=_withheld(line),
        origin=_name(line, "origin"),
    )


def _only(given: Mapping[str, object], known: tuple[str, ...], where: str = "") -> None:
    for key in given:
        if key not in known:
            raise LineError(f"unknown key {key!r}{where}. {did_you_mean(key, known).rstrip('.')}")


def _name(line: Mapping[str, object], key: str) -> str | None:
    value = line.get(key)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise LineError(f"{key!r} is {_kind(value)}, not a text")
    if not value.strip():
        raise LineError(f"{key!r} is blank")
    return value


def _texts(line: Mapping[str, object], key: str) -> tuple[str, ...]:
    given = line.get(key)
    items = [] if given is None else given if isinstance(given, list) else [given]
    for number, item in enumerate(items, start=1):
        if not isinstance(item, str):
            raise LineError(f"number {number} of {key!r} is {_kind(item)}, not a text")
        if not item.strip():
            raise LineError(f"number {number} of {key!r} is blank")
    return tuple(items)


def _evidence(
    line: Mapping[str, object], document: str | None
) -> tuple[tuple[Wanted, ...], tuple[tuple[int, ...], ...]]:
    """Return all evidence, and which pieces are alternatives of each other; () if none are."""
    if line.get("evidence") is None:
        raise LineError("'evidence' is missing")
    given = line["evidence"]
    wanted: list[Wanted] = []
    slots: list[tuple[int, ...]] = []
    for number, item in enumerate(given if isinstance(given, list) else [given], start=1):
        choices = item if isinstance(item, list) else [item]
        if not choices:
            raise LineError(f"evidence {number} is a list of alternatives without any")
        slots.append(tuple(range(len(wanted), len(wanted) + len(choices))))
        wanted += [_wanted(choice, number, document) for choice in choices]
    if prod(map(len, slots)) > _MOST_CHOICES:
        raise LineError(f"its alternatives combine in {prod(map(len, slots)):,} ways; {_MOST_CHOICES} are the most")
    return tuple(wanted), tuple(slots) if len(slots) < len(wanted) else ()


def _annotators(
    line: Mapping[str, object], pieces: int, slots: tuple[tuple[int, ...], ...]
) -> tuple[tuple[int, ...], ...]:
    given = line.get("annotators")
    if given is None:
        return ()
    if slots:
        raise LineError("it has 'annotators' and alternatives, of which only one is possible")
    groups: list[Any] = given if isinstance(given, list) else [None]
    if not all(isinstance(group, list) and all(_is_count(n) and n < pieces for n in group) for group in groups):
        raise LineError(f"'annotators' needs for each a list of numbers of evidence, from 0 to {pieces - 1}")
    return tuple(tuple(group) for group in groups)


def _wanted(item: object, number: int, document: str | None) -> Wanted:
    if isinstance(item, str):
        if not item.strip():
            raise LineError(f"evidence {number} is blank")
        return Quote(item, document)
    if not isinstance(item, dict):
        raise LineError(f"evidence {number} is {_kind(item)}, neither a quote nor {{document, start, end}}")
    _only(item, _EVIDENCE_KEYS, f" in evidence {number}")
    place = _name(item, "document") or document
    if document is not None and place != document:
        raise LineError(f"evidence {number} is in document {place!r}, but the question is about {document!r}")
    if (quote := _name(item, "quote")) is not None:
        return Quote(quote, place)
    if (section := _name(item, "section")) is not None:
        return SectionRef(section, place)
    return _place(item, f"evidence {number}", place)


def _place(item: Mapping[str, object], what: str, document: str | None) -> Place:
    if document is None:
        raise LineError(f"{what} has offsets but no document")
    start, end = item.get("start"), item.get("end")
    if not _is_count(start) or not _is_count(end) or start >= end:
        raise LineError(f"{what} needs whole numbers 0 <= start < end, not {start!r} and {end!r}")
    return Place(document, start, end)


def _withheld(line: Mapping[str, object]) -> tuple[Place, ...]:
    given = line.get("withheld")
    items = [] if given is None else given if isinstance(given, list) else [given]
    places: list[Place] = []
    for number, item in enumerate(items, start=1):
        if not isinstance(item, dict):
            raise LineError(f"number {number} of 'withheld' is {_kind(item)}, not {{document, start, end}}")
        _only(item, _PLACE_KEYS, " in 'withheld'")
        places.append(_place(item, f"number {number} of 'withheld'", _name(item, "document")))
    return tuple(places)


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "a number")
