"""Writes the canonical text of a document and records its blocks, links, anchors and places while it is written.

The canonical text looks like Markdown, since that is what people index: headings start with ``#``, code stands in
fences, table rows between bars, list items behind ``-`` or a number, quotes behind ``>``; blocks are separated by one
blank line, and no block but code has a blank line inside. Nothing is escaped: the blocks that are recorded say what is
what, not the marks. Offsets are those of the moment of writing, never searched for (METHODS section 1).
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import MappingProxyType

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Link
from ragtrial.documents.places import Places, Unit

__all__ = ["Writer"]

_FENCES = re.compile(r"`{3,}")
_LINE_ENDS = re.compile(r"\r\n?")
_DEEPEST_MARK = 6


class Writer:
    """One text in the making.

    A block begins with `open` and ends with `close`; text written outside a block begins a
    paragraph. A block without text leaves no trace. `text` folds white space, `break_line` ends a line.

    Attributes
    ----------
    at : int
        The place of the source from which the text comes that is written next.
    dropped : Counter
        What was left out, counted by the reader under names of its choice.
    """

    def __init__(self, unit: Unit = "line") -> None:
        self.at = 1
        self.dropped: Counter[str] = Counter()
        self._unit = unit
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._links: list[Link] = []
        self._anchors: dict[str, int] = {}
        self._waiting: list[str] = []
        self._starts: list[int] = []
        self._numbers: list[int] = []
        self._kind = Kind.PARAGRAPH
        self._level = 0
        self._prefix = ""
        self._first_prefix: str | None = None
        self._start = -1
        self._content = -1
        self._space = False
        self._breaks = 0
        self._link: tuple[str, int] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the current block has text."""
        return self._start >= 0

    def open(
        self, kind: Kind = Kind.PARAGRAPH, *, level: int = 0, prefix: str = "", first_prefix: str | None = None
    ) -> None:
        """Begin a block: ``prefix`` starts each of its lines, ``first_prefix`` its first one if given."""
        self.close()
        self._kind, self._level, self._prefix, self._first_prefix = kind, level, prefix, first_prefix

    def close(self) -> None:
        """End the current block, if there is one; what is written next is a paragraph."""
        if self._start >= 0:
            self._end_link()
            title = "".join(self._parts[self._content :]) if self._kind is Kind.HEADING else ""
            self._blocks.append(Block(self._kind, self._start, self._length, self._level, title))
        self._kind, self._level, self._prefix, self._first_prefix = Kind.PARAGRAPH, 0, "", None
        self._start = -1
        self._space = False
        self._breaks = 0

    def text(self, text: str) -> None:
        """Write text into the current block; runs of white space become one space."""
        words = text.split()
        if not words:
            self._space = self._space or bool(text)
            return
        if text[0].isspace():
            self._space = True
        self._write(" ".join(words))
        self._space = text[-1].isspace()

    def break_line(self) -> None:
        """End the current line, which in a heading is a space; at the edges of a block this leaves no trace."""
        if self._kind is Kind.HEADING:
            self._space = True
        elif self.is_open:
            self._breaks = 1

    def start_line(self, prefix: str, continued: str) -> None:
        """Begin a line with a prefix of its own in the current block; lines that follow begin with ``continued``."""
        if self.is_open:
            self._breaks = 1
        self._first_prefix, self._prefix = prefix, continued

    def code(self, text: str, *, language: str = "", kind: Kind = Kind.CODE, first: int | None = None) -> None:
        """Write a block of code in a fence; line ends are normalised.

        ``first`` is the place of its first line if the lines of the code are lines of the source.
        """
        lines = _LINE_ENDS.sub("\n", text).rstrip().split("\n")
        while lines and not lines[0].strip():
            del lines[0]
            first = None if first is None else first + 1
        self.close()
        if not lines:
            return
        longest = max((len(run) for run in _FENCES.findall(text)), default=2)
        fence = "$$" if kind is Kind.MATH else "`" * (longest + 1)
        self._kind = kind
        self._put(fence + ("" if kind is Kind.MATH else language))
        for number, line in enumerate(lines):
            self.at = self.at if first is None else first + number
            self._add("\n")
            self._add(line)
        self._add("\n" + fence)
        self.close()

    def anchor(self, name: str) -> None:
        """Name the place of what is written next; in an open block without text, and before one, that is its start."""
        self._waiting.append(name)

    def begin_link(self, target: str) -> None:
        """Begin a link; the text until `end_link` or the end of the block is its text."""
        self._end_link()
        self._link = (target, -1)

    def end_link(self) -> None:
        """End the open link, which leaves no trace if it has no text."""
        self._end_link()

    def document(
        self,
        id: str,  # noqa: A002  # the model's own word
        *,
        source: Path | None = None,
        meta: dict[str, object] | None = None,
    ) -> Document:
        """Return the document.

        Beside ``meta`` its metadata hold, where there are any, ``links`` (a tuple of `Link`), ``anchors`` (the
        offset of each name; the first of equal names) and ``dropped`` (what was left out, with its counts).
        """
        self.close()
        self._settle_anchors(self._length)
        found: dict[str, object] = dict(meta or {})
        if self._links:
            found["links"] = tuple(self._links)
        if self._anchors:
            found["anchors"] = MappingProxyType(self._anchors)
        if self.dropped:
            found["dropped"] = MappingProxyType(dict(sorted(self.dropped.items())))
        starts, numbers = tuple(self._starts) or (0,), tuple(self._numbers) or (1,)
        return Document(
            id,
            "".join(self._parts),
            tuple(self._blocks),
            meta=MappingProxyType(found),
            source=source,
            places=Places(self._unit, (0, *starts[1:]), numbers),
        )

    def _put(self, text: str) -> None:
        """Write the first text of a block, after the blank line before it."""
        if self._parts:
            self._add("\n\n", placed=False)
        self._start = self._length
        self._settle_anchors(self._start)
        if self._kind is Kind.HEADING:
            self._add("#" * min(self._level, _DEEPEST_MARK) + " ")
        elif prefix := self._prefix if self._first_prefix is None else self._first_prefix:
            self._add(prefix)
        self._first_prefix = None
        self._content = len(self._parts)
        self._begin_link_text()
        self._add(text)

    def _write(self, text: str) -> None:
        if self._start < 0:
            self._put(text)
        else:
            if self._breaks:
                prefix = self._prefix if self._first_prefix is None else self._first_prefix
                self._add("\n" + prefix)
                self._first_prefix = None
            elif self._space:
                self._add(" ")
            self._settle_anchors(self._length)
            self._begin_link_text()
            self._add(text)
        self._space = False
        self._breaks = 0

    def _add(self, text: str, *, placed: bool = True) -> None:
        if placed and (not self._numbers or self._numbers[-1] != self.at):
            # A line's own end belongs to the line before it.
            self._starts.append(self._length + (text[0] == "\n"))
            self._numbers.append(self.at)
        self._parts.append(text)
        self._length += len(text)

    def _begin_link_text(self) -> None:
        if self._link is not None and self._link[1] < 0:
            self._link = (self._link[0], self._length)

    def _end_link(self) -> None:
        if self._link is not None and 0 <= self._link[1] < self._length:
            self._links.append(Link(self._link[1], self._length, self._link[0]))
        self._link = None

    def _settle_anchors(self, offset: int) -> None:
        for name in self._waiting:
            self._anchors.setdefault(name, offset)
        self._waiting.clear()
