"""Where a block quote or a list of the document ends (CommonMark 0.31, section 5 and its appendix).

Nothing inside a container is a block of the document, but whether a line still belongs to
it depends on what is open inside: a line without marks continues an open paragraph
(lazy continuation), and no other block. So the containers and the innermost leaf are
followed line by line, as in the parsing strategy of the specification's appendix.

Work on a line is proportional to its length, however deep the nesting: a blank line, which
all list items take, looks only for the next quote.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from enum import IntEnum

from ragtrial.documents.markdown.definitions import leading_definitions
from ragtrial.documents.markdown.rules import (
    BULLET_OR_NUMBER,
    TILL_BLANK,
    atx,
    closes_fence,
    delimiter_cells,
    html_end,
    interrupting_item,
    opens_fence,
    row_cells,
    setext_level,
)

__all__ = ["MARKS", "Containers"]

MARKS = frozenset(" \t#>-*+=_|:<`~$0123456789")
"""The characters that can start anything but text; a line that starts with another is text."""

_EMPHASIS = "*_`"
_BLANKS = " \t"

_QUOTE = 0
_MARKER = re.compile(r"(?:[0-9]{1,9}(?=[.)]))?([-+*.)]) (?=[^ \t])")
_BODY = re.compile(r"[^ ]")


class _Leaf(IntEnum):
    NONE = 0
    PARAGRAPH = 1
    TABLE = 2
    FENCE = 3
    HTML = 4


class _Start(IntEnum):
    TEXT = 0
    QUOTE = 1
    ITEM = 2
    LEAF = 3


# In Python 3.11, a member is found five times faster as a name of the module than through its class.
_NONE, _PARAGRAPH, _TABLE, _FENCE, _HTML = _Leaf
_TEXT, _QUOTE_START, _ITEM, _LEAF = _Start


class Containers:
    """Follows one list or quote of the document at a time.

    Parameters
    ----------
    lines : list of str
        The lines of the document without their ends.

    Attributes
    ----------
    bracketed : list of list of str
        The lines of each paragraph seen in a container that starts with ``[``, as it may define references.
    """

    def __init__(self, lines: list[str]) -> None:
        self.bracketed: list[list[str]] = []
        self._lines = lines
        # The open containers, outermost first: the columns that an item's content is indented by, or _QUOTE.
        self._stack: list[int] = []
        self._quotes: list[int] = []
        self._top = ""
        self._running = False
        self._item_is_empty = False
        self._leaf = _NONE
        self._leaf_end = TILL_BLANK
        self._fence = ""
        self._marker: re.Match[str] | None = None
        self._header = ""
        self._paragraph: list[str] | None = None
        self._tails: dict[str, int] = {}

    def end(self, first: int) -> int:
        """Return the number of the line after the last one of the list or quote that starts on line ``first``."""
        lines = self._lines
        self._close(0)
        self._leaf = _NONE
        self._top = ""
        self._running = False
        paragraph = _PARAGRAPH
        end = number = first
        while number < len(lines):
            line = lines[number]
            if not line:
                if not self._take_blank(self._matched_by_blank(0)):
                    break
                number += 1
                continue
            first_character = line[0]
            if first_character not in MARKS:
                if self._leaf is paragraph:
                    self._continue_lazily(line)
                elif self._top or not self._take(line):
                    break
            elif self._top and (width := self._next_item(line)):
                self._start_item(line, width)
            elif not self._take(line):
                break
            number += 1
            if line.strip(" \t"):
                end = number
        return end

    def _next_item(self, line: str) -> int:
        """Return the width of the marker if a line starts the list's next item with text, which nothing can hold back.

        0 stands for all other lines: they have to be looked at in full.
        """
        marker = _MARKER.match(line)
        if marker is None or marker[1] != self._top or not _is_text(line, marker.end()):
            return 0
        return marker.end()

    def _start_item(self, line: str, width: int) -> None:
        self._close(0)
        self._stack.append(width)
        self._item_is_empty = False
        self._add_text(line[width:].rstrip(" "), continues=False)

    def _take(self, line: str) -> bool:
        """Take one more line; False if it is not part of the list or quote."""
        if "\t" in line:
            line = line.expandtabs(4)
        body = len(line.rstrip(" "))
        depth, position, mark = self._matched(line, body)
        if mark >= body:
            return self._take_blank(depth)
        self._item_is_empty = False
        if depth == len(self._stack):
            if self._leaf is _FENCE:
                if mark - position < 4 and closes_fence(line, mark, self._fence):
                    self._leaf = _NONE
                return True
            if self._leaf is _HTML:
                if self._leaf_end.search(line, position):
                    self._leaf = _NONE
                return True
        if self._tails:
            self._tails.clear()
        taken = self._open(line, body, depth, position, mark)
        self._running = True
        return taken

    def _matched(self, line: str, body: int) -> tuple[int, int, int]:
        """Return how many open containers a line continues, where its content starts, and its first mark."""
        position = 0
        mark = len(line) - len(line.lstrip(" "))
        for depth, width in enumerate(self._stack):
            if mark >= body:
                return self._matched_by_blank(depth), body, body
            if width != _QUOTE:
                if mark - position < width:
                    return depth, position, mark
                position += width
            else:
                if mark - position > 3 or line[mark] != ">":
                    return depth, position, mark
                position = mark + 1 + line.startswith(" ", mark + 1)
                mark = _mark(line, position)
        return len(self._stack), position, mark

    def _matched_by_blank(self, depth: int) -> int:
        """Return how many containers a line continues that is blank after its first ``depth`` containers."""
        quote = bisect_left(self._quotes, depth)
        if quote < len(self._quotes):
            return self._quotes[quote]
        return len(self._stack) - self._item_is_empty

    def _take_blank(self, depth: int) -> bool:
        goes_on = self._leaf is _FENCE or (self._leaf is _HTML and self._leaf_end is not TILL_BLANK)
        if depth < len(self._stack) or not goes_on:
            self._leaf = _NONE
        self._close(depth)
        self._item_is_empty = False
        return bool(self._stack or self._top)

    def _open(self, line: str, body: int, depth: int, position: int, mark: int) -> bool:
        """Open the blocks that the rest of a line starts, or continue the open paragraph."""
        inside = depth == len(self._stack)
        in_paragraph = self._leaf is _PARAGRAPH
        in_table = inside and self._leaf is _TABLE
        opened = False
        while mark < body:
            if line[mark] not in MARKS and mark - position < 4:
                break
            start = self._start(line, mark, mark - position, paragraph=in_paragraph, inside=inside, table=in_table)
            if start is _TEXT:
                break
            if not opened:
                if depth == 0 and self._running and not self._same_list(start):
                    return False
                self._close(depth)
                opened = True
            if start is _LEAF:
                return True
            self._leaf = _NONE
            in_paragraph = in_table = False
            if start is _QUOTE_START:
                position, mark = self._push_quote(line, mark)
            else:
                position, mark = self._push_item(line, body, position)
        if mark >= body or (in_table and not opened):
            return True
        if in_paragraph and not inside:
            self._continue_lazily(line[mark:])
            return True
        if not opened:
            if depth == 0 and self._running:
                return False
            self._close(depth)
        self._add_text(line[mark:body], continues=in_paragraph)
        if mark - position > 3:
            self._header = ""
        return True

    def _same_list(self, start: _Start) -> bool:
        marker = self._marker
        return start is _ITEM and marker is not None and self._top == (marker[1] or marker[2])

    def _start(self, line: str, mark: int, indent: int, *, paragraph: bool, inside: bool, table: bool) -> _Start:
        """Tell what the rest of a line starts, and open it if it is a leaf.

        ``paragraph`` says that a paragraph is open; it is only continued lazily if the
        line is not ``inside`` all containers.
        """
        if indent > 3:
            if paragraph:
                return _TEXT
            self._leaf = _NONE
            return _LEAF
        character = line[mark]
        if character == ">":
            return _QUOTE_START
        if character in "#`~<":
            return self._leaf_start(line, mark, interrupts=paragraph or table)
        return self._marker_start(line, mark, interrupts=paragraph and inside)

    def _marker_start(self, line: str, mark: int, *, interrupts: bool) -> _Start:
        """Tell apart what lines of punctuation and numbers start.

        ``interrupts`` says that the line is inside the open paragraph, which it may then underline.
        """
        character = line[mark]
        if interrupts and character in "-=" and self._underlines(line, mark):
            return _LEAF
        if character in "-*_" and self._is_rule(line, mark, character):
            self._leaf = _NONE
            return _LEAF
        self._marker = BULLET_OR_NUMBER.match(line, mark)
        if self._marker and (not interrupts or interrupting_item(line, mark)):
            return _ITEM
        if interrupts and self._header and delimiter_cells(line, mark) == row_cells(self._header, 0) > 0:
            self._leaf = _TABLE
            return _LEAF
        return _TEXT

    def _leaf_start(self, line: str, mark: int, *, interrupts: bool) -> _Start:
        """Open the heading, fence or HTML block that the rest of a line starts."""
        if line[mark] == "#":
            if not atx(line, mark):
                return _TEXT
            self._leaf = _NONE
        elif line[mark] == "<":
            end = html_end(line, mark, interrupts=interrupts)
            if end is None:
                return _TEXT
            self._leaf = _NONE if end.search(line, mark) else _HTML
            self._leaf_end = end
        else:
            fence = opens_fence(line, mark)
            if not fence:
                return _TEXT
            self._leaf = _FENCE
            self._fence = fence
        return _LEAF

    def _underlines(self, line: str, mark: int) -> bool:
        """Tell whether a line makes the open paragraph a Setext heading, and close it if so."""
        if not setext_level(line, mark):
            return False
        if self._paragraph is not None:
            taken, _ = leading_definitions(self._paragraph)
            if taken == len(self._paragraph):
                # Definitions only: there is no text to underline, and a new paragraph starts here.
                self._paragraph = None
                return False
        self._leaf = _NONE
        return True

    def _is_rule(self, line: str, mark: int, character: str) -> bool:
        if line[-1] != character and line[-1] != " ":
            return False
        # A line of nested markers asks this at each of them, so its tail is measured once.
        if character not in self._tails:
            self._tails[character] = len(line.rstrip(character + " "))
        return mark >= self._tails[character] and line.count(character, mark) > 2

    def _push_quote(self, line: str, mark: int) -> tuple[int, int]:
        self._quotes.append(len(self._stack))
        self._stack.append(_QUOTE)
        position = mark + 1 + line.startswith(" ", mark + 1)
        return position, _mark(line, position)

    def _push_item(self, line: str, body: int, position: int) -> tuple[int, int]:
        marker = self._marker
        assert marker is not None
        if not self._stack:
            self._top = marker[1] or marker[2]
        after = marker.end()
        content = _mark(line, after)
        self._item_is_empty = content >= body
        start = after + 1 if content - after > 4 or self._item_is_empty else content
        self._stack.append(start - position)
        return start, content

    def _close(self, depth: int) -> None:
        if depth < len(self._stack):
            del self._stack[depth:]
            while self._quotes and self._quotes[-1] >= depth:
                self._quotes.pop()

    def _add_text(self, text: str, *, continues: bool) -> None:
        if not continues:
            self._paragraph = None
            if text[0] == "[":
                self._paragraph = []
                self.bracketed.append(self._paragraph)
        self._leaf = _PARAGRAPH
        self._header = text
        if self._paragraph is not None:
            self._paragraph.append(text)

    def _continue_lazily(self, text: str) -> None:
        # A lazy line cannot head a table.
        self._header = ""
        if self._paragraph is not None:
            self._paragraph.append(text)


def _is_text(line: str, position: int) -> bool:
    """Tell, without looking at all cases, whether text starts at a position: a letter, a word in bold, code."""
    first, second = line[position : position + 1], line[position + 1 : position + 2]
    if first in _EMPHASIS and first and second not in _BLANKS:
        return bool(line[position:].strip("*_` \t")) and not line.startswith("```", position)
    return first not in MARKS and bool(first)


def _mark(line: str, position: int) -> int:
    """Return the position of the first character that is not a space, the length of the line if there is none."""
    found = _BODY.search(line, position)
    return found.start() if found else len(line)
