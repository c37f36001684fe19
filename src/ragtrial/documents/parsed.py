"""The reader of JSON lines that hold documents someone has parsed already."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragtrial.documents.markdown.reader import DIALECTS, Dialect, read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind
from ragtrial.documents.places import Places
from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError

__all__ = ["read_parsed", "read_parsed_lines"]

_KNOWN = {"headings", "format", "id", "meta", "sections", "text", "title"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEADING_KEYS = {"end", "level", "start", "title"}
_SECTION_KEYS = {"level", "start", "title"}


def read_parsed_lines(lines: Iterable[str], name: str, *, source: Path | None = None) -> Iterator[Document | DataError]:
    """Yield the document of each line, or the error that names ``name``, the line and its fault; see `read_parsed`.

    Blank lines are passed over. A document whose id was there already is a fault. The place of a document is the line
    of the file that holds it.
    """
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = read_parsed(line.removeprefix("\ufeff") if number == 1 else line, source=source)
        except DataError as error:
            yield DataError(f"{name}:{number}: {error.message}.", hint=error.hint)
            continue
        if document.id in seen:
            where = f"line {seen[document.id]}"
            yield DataError(f"{name}:{number}: the id {document.id!r} is there already, on {where}.")
            continue
        seen[document.id] = number
        yield replace(document, places=Places("line", (0,), (number,)))


def read_parsed(line: str, *, source: Path | None = None) -> Document:
    """Read one document.

    The line is an object with

    - ``id`` and ``text``; the text is kept unchanged, and all offsets are characters on it;
    - ``headings``, a list of ``{"level", "title", "start", "end"}``: ranges of the text that are headings, in order;
      the text between them is split into paragraphs at blank lines;
    - or ``sections``, a list of ``{"level", "title", "start"}``: where sections begin, for a text whose headings are
      not part of it;
    - or neither, and ``format``: "commonmark" or "study" for Markdown, "text" (the default) for plain text;
    - optionally ``title`` and ``meta`` (an object).

    Raises
    ------
    DataError
        A key is missing, unknown or of the wrong type, an offset is outside the text, or ranges overlap; the message
        is the reason only.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"it is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise DataError("it is not a JSON object", hint='A line is for example {"id": "a", "text": "..."}.')
    _check(content)
    text, id = content["text"], content["id"]  # noqa: A001  # the model's own word
    if "headings" in content:
        document = Document(id, text, _with_headings(text, content["headings"]), source=source)
    elif "sections" in content:
        document = _with_sections(id, text, content["sections"], source)
    elif content.get("format", "text") == "text":
        document = read_text(text, id=id, source=source)
    else:
        document = read_markdown(text, id=id, dialect=content["format"], source=source)
    meta = {**document.meta, **content.get("meta", {})}
    if "title" in content:
        meta["title"] = content["title"]
    return Document(
        id,
        text,
        document.blocks,
        section_table=document.section_table,
        meta=MappingProxyType(meta),
        source=source,
        dialect=document.dialect,
    )


def _check(content: dict[str, Any]) -> None:
    for key, kind in (("id", str), ("text", str)):
        if not isinstance(content.get(key), kind):
            raise DataError(f"it has no {key!r}, which must be a text")
    if not content["id"].strip():
        raise DataError("its 'id' is empty")
    for key in ("id", "text"):
        if half := _SURROGATE.search(content[key]):
            raise DataError(f"its {key!r} has half of a surrogate pair at character {half.start():,}")
    if unknown := sorted(content.keys() - _KNOWN):
        raise DataError(f"it has the unknown key {unknown[0]!r}", hint=f"Known: {', '.join(sorted(_KNOWN))}.")
    for key, expected in (("title", str), ("meta", dict), ("headings", list), ("sections", list), ("format", str)):
        if key in content and not isinstance(content[key], expected):
            raise DataError(f"its {key!r} is not a {_NAMES[expected]}")
    given = [key for key in ("headings", "sections", "format") if key in content]
    if len(given) > 1:
        raise DataError(f"it has both {given[0]!r} and {given[1]!r}", hint="Give one of them.")
    known: tuple[Dialect | str, ...] = ("text", *DIALECTS)
    if content.get("format", "text") not in known:
        raise DataError(f"its 'format' {content['format']!r} is unknown", hint=f"Known: {', '.join(known)}.")


_NAMES = {str: "text", dict: "JSON object", list: "list"}


def _entries(given: list[Any], keys: set[str], what: str, length: int) -> Iterator[tuple[int, str, int, int]]:
    """Yield (level, title, start, end) of each entry; a missing end is its start."""
    position = 0
    for number, entry in enumerate(given):
        if not isinstance(entry, dict) or entry.keys() != keys:
            raise DataError(f"entry {number} of its {what!r} has not just the keys {', '.join(sorted(keys))}")
        numbers = [entry["level"], entry["start"], entry.get("end", entry["start"])]
        if not all(type(value) is int for value in numbers) or not isinstance(entry["title"], str):
            raise DataError(f"entry {number} of its {what!r} has a number or a title of another type")
        level, start, end = numbers
        if level < 1:
            raise DataError(f"entry {number} of its {what!r} has the level {level}; the least is 1")
        if not position <= start <= end <= length:
            raise DataError(
                f"entry {number} of its {what!r} covers [{start}, {end}), which is not after the one before it "
                f"and inside the text of {length:,} characters"
            )
        yield level, entry["title"], start, end
        position = end


def _with_headings(text: str, given: list[Any]) -> tuple[Block, ...]:
    blocks: list[Block] = []
    position = 0
    for level, title, start, end in _entries(given, _HEADING_KEYS, "headings", len(text)):
        blocks += _paragraphs(text, position, start)
        blocks.append(Block(Kind.HEADING, start, end, level, title))
        position = end
    return (*blocks, *_paragraphs(text, position, len(text)))


def _paragraphs(text: str, start: int, end: int) -> Iterator[Block]:
    for block in read_text(text[start:end], id="").blocks:
        yield block._replace(start=block.start + start, end=block.end + start)


def _with_sections(id: str, text: str, given: list[Any], source: Path | None) -> Document:  # noqa: A002
    """Return the document of a text in which sections only begin; text before the first is a section without title."""
    blocks: list[Block] = []
    position = 0
    headings: list[Block] = []
    for level, title, start, _ in _entries(given, _SECTION_KEYS, "sections", len(text)):
        blocks += _paragraphs(text, position, start)
        headings.append(Block(Kind.HEADING, start, start, level, title))
        position = start
    blocks += _paragraphs(text, position, len(text))
    with_headings = Document(id, text, tuple(sorted((*blocks, *headings), key=lambda block: (block.start, block.end))))
    return Document(id, text, tuple(blocks), section_table=with_headings.sections, source=source)
