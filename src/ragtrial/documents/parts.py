"""What a document is made of: spans, blocks, headings, sections."""

from __future__ import annotations

from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

__all__ = ["DEEPEST_LEVEL", "Block", "Heading", "Kind", "Link", "Section", "Span", "build_sections"]

DEEPEST_LEVEL = 4
"""Deeper sections are stored with this level; their path keeps the true depth (METHODS section 1)."""


class Kind(IntEnum):
    """What a block is."""

    PARAGRAPH = 0
    HEADING = 1
    CODE = 2
    TABLE = 3
    LIST = 4
    QUOTE = 5
    RULE = 6
    HTML = 7
    MATH = 8
    FRONT_MATTER = 9


class Span(NamedTuple):
    """A half-open range of characters."""

    start: int
    end: int


class Block(NamedTuple):
    """A top-level block of a text: whole lines, without the end of the last line.

    ``level`` and ``title`` are those of a heading, else 0 and "".
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""


class Heading(NamedTuple):
    """A heading: its true level (1-6), title, and the range of its line or Setext block."""

    level: int
    title: str
    start: int
    end: int


class Link(NamedTuple):
    """A range of the text that is a link, and its target as the source writes it."""

    start: int
    end: int
    target: str


class Section(NamedTuple):
    """The text from one heading to the next, of whatever level.

    ``level`` is 1 to 4, ``path`` holds the titles of all enclosing headings and its
    own; ``first`` and ``last`` are the half-open range of its paragraphs. Text before
    the first heading is a section with an empty path.
    """

    title: str
    level: int
    path: tuple[str, ...]
    start: int
    end: int
    first: int
    last: int


def build_sections(
    headings: tuple[Heading, ...], paragraphs: tuple[Span, ...], content_start: int, length: int
) -> tuple[Section, ...]:
    """Return the sections that headings make over a text of ``length`` characters.

    A heading of level L closes every open section of level >= L (METHODS section 2.1).
    ``content_start`` is the start of the first block: blanks before a heading that
    comes first belong to that heading's section.
    """
    if not headings:
        return (Section("", 1, (), 0, length, 0, len(paragraphs)),)
    starts = [heading.start if heading.start > content_start else 0 for heading in headings] + [length]
    sections: list[Section] = []
    paragraph = 0
    if starts[0] > 0:
        paragraph = _paragraphs_before(starts[0], paragraphs, 0)
        sections.append(Section("", 1, (), 0, starts[0], 0, paragraph))
    stack: list[tuple[int, str]] = []
    for heading, (start, end) in zip(headings, pairwise(starts), strict=True):
        while stack and stack[-1][0] >= heading.level:
            stack.pop()
        stack.append((heading.level, heading.title))
        last = _paragraphs_before(end, paragraphs, paragraph)
        path = tuple(title for _, title in stack)
        level = min(heading.level, DEEPEST_LEVEL)
        sections.append(Section(heading.title, level, path, start, end, paragraph, last))
        paragraph = last
    return tuple(sections)


def _paragraphs_before(end: int, paragraphs: tuple[Span, ...], position: int) -> int:
    while position < len(paragraphs) and paragraphs[position].start < end:
        position += 1
    return position
