"""Paragraphs as a reader sees them, with the links in them: what questions are harvested from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragtrial.documents.markdown.definitions import normalised
from ragtrial.documents.markdown.titles import plain_title
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Link, Span

__all__ = ["Passage", "passages"]

_LONGEST = 10_000
"""A longer paragraph is no text that somebody wrote to be read."""

_KINDS = (Kind.PARAGRAPH, Kind.LIST, Kind.QUOTE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>[ \t]?)+")
_ALERT = re.compile(r"\[!\w+\][ \t]*")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_DEFINITION = re.compile(
    r"""^ {0,3}\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*\n?[ \t]*<?([^\s<>]+)>?"""
    r"""(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$""",
    re.MULTILINE,
)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.+?)(?<!`)\1(?!`)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?")
_LINK = re.compile(
    r"""(?<!\\)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]*\])+)\]
        (?:\([ \t]*<?(?P<target>[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?
             (?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*\)
          |\[(?P<label>[^\[\]]*)\])?""",
    re.VERBOSE,
)
_MARKS = re.compile("[\ue000\ue001]")
_MARK = re.compile("\ue000(\\d+)\ue001")
_LEFT_OVER = re.compile(r"\*\*|__")


class Passage(NamedTuple):
    """A paragraph, list item or quote.

    ``place`` is its range of the document's text; ``text`` is what a reader sees; ``links`` are
    ranges of that text with their targets as written; ``item`` tells whether it is one of a list.
    """

    place: Span
    text: str
    links: tuple[Link, ...]
    item: bool


def passages(document: Document) -> Iterator[Passage]:
    """Yield the passages of a document that hold a link, in order."""
    if isinstance(given := document.meta.get("links"), tuple):
        yield from _written(document, [link for link in given if isinstance(link, Link)])
        return
    if document.dialect is None:
        return
    definitions = {normalised(label): target for label, target in _DEFINITION.findall(document.text)}
    for block in document.blocks:
        if block.kind not in _KINDS or "[" not in document.text[block.start : block.end]:
            continue
        for place, seen in _parts(document.text, block):
            source = "".join(document.text[start:end] for start, end in seen)
            if len(source) > _LONGEST:
                continue
            text, links = _rendered(source, definitions)
            if links:
                yield Passage(place, text, links, block.kind is Kind.LIST)


def _written(document: Document, links: list[Link]) -> Iterator[Passage]:
    """Yield the passages of a document whose reader recorded the links: its text but for marks is what one sees."""
    links = sorted(links)
    starts = [link.start for link in links]
    for block in document.blocks:
        if block.kind not in _KINDS:
            continue
        for place, seen in _parts(document.text, block):
            own = links[bisect_left(starts, place.start) : bisect_left(starts, place.end)]
            moved = tuple(_moved(link, seen) for link in own if link.end <= place.end)
            if moved:
                text = "".join(document.text[start:end] for start, end in seen).replace("\n", " ")
                yield Passage(place, text, moved, block.kind is Kind.LIST)


def _moved(link: Link, seen: Sequence[Span]) -> Link:
    """Return a link's range on the text that is left of a document's where only some ranges are seen."""
    start, end = (sum(max(min(b, place) - a, 0) for a, b in seen) for place in (link.start, link.end))
    return Link(start, end, link.target)


def _parts(text: str, block: Block) -> Iterator[tuple[Span, list[Span]]]:
    """Yield the paragraphs of a block: their range, and what of it is left without marks of lists and quotes."""
    if block.kind is Kind.PARAGRAPH:
        yield Span(block.start, block.end), [Span(block.start, block.end)]
        return
    lines: list[Span] = []
    start, position, fenced = -1, block.start, False
    for line in text[block.start : block.end].splitlines(keepends=True):
        content = _after(_QUOTE, line) if block.kind is Kind.QUOTE else line
        item = _ITEM.match(content)
        if _FENCE.match(content):
            fenced = not fenced
        blank = not content.strip() or fenced or bool(_FENCE.match(content))
        if lines and (blank or item):
            yield Span(start, position), lines
            lines = []
        if not blank:
            start = start if lines else position
            content = content[item.end() :] if item else content
            content = content if lines else _after(_ALERT, content)
            lines.append(Span(position + len(line) - len(content), position + len(line)))
        position += len(line)
    if lines:
        yield Span(start, block.end), lines


def _after(mark: re.Pattern[str], line: str) -> str:
    found = mark.match(line)
    return line[found.end() :] if found else line


def _rendered(source: str, definitions: dict[str, str]) -> tuple[str, tuple[Link, ...]]:
    """Return the text that a reader sees, on one line, and its links."""
    source = _IMAGE.sub("", _DEFINITION.sub("", _MARKS.sub(" ", source)))
    code = [match.span() for match in _CODE.finditer(source)]
    found: list[tuple[str, str]] = []
    pieces: list[str] = []
    last = 0
    for match in _LINK.finditer(source):
        target = match["target"]
        if target is None:
            target = definitions.get(normalised(match["label"] or match["text"]))
        if target is None or any(start < match.start() < end for start, end in code):
            continue
        pieces += [source[last : match.start()], f"\ue000{len(found)}\ue001"]
        found.append((plain_title(match["text"], ()), target))
        last = match.end()
    marked = _LEFT_OVER.sub("", plain_title("".join([*pieces, source[last:]]), ()))
    parts: list[str] = []
    links: list[Link] = []
    length = last = 0
    for mark in _MARK.finditer(marked):
        before, (text, target) = marked[last : mark.start()], found[int(mark[1])]
        length += len(before)
        links.append(Link(length, length + len(text), target))
        parts += [before, text]
        length += len(text)
        last = mark.end()
    return "".join([*parts, marked[last:]]), tuple(links)
