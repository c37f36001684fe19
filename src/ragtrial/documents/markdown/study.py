"""The blocks of a document as the study's parser sees them (METHODS section 2.1, points 1 to 8; MDK appendix N.1).

White space is what ``str.strip`` takes away, as in the study. A byte order mark is ignored
only before front matter: anywhere else it belongs to its line.
"""

from __future__ import annotations

import re

from ragtrial.documents.markdown.lines import (
    CODE,
    FRONT_MATTER,
    LIST,
    PARAGRAPH,
    QUOTE,
    RULE,
    TABLE,
    Found,
    Lines,
    collector_paused,
    split_lines,
)
from ragtrial.documents.parts import Block

__all__ = ["scan_study"]

_ATX = re.compile(r" {0,3}(#{1,6})(?=\s)")
_DELIMITERS = re.compile(r"[\s:-]*+\|[\s:|-]*+$")
_FENCE = re.compile(r" {0,3}(`{3,}+(?!.*`)|~{3,}+)")
_ITEM = re.compile(r"\s*+(?:[-*+]|\d++[.)])\s++\S")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_MARKS = frozenset("#>`~-*+_")
_SETEXT = re.compile(r" {0,3}(?:=++|-++)\s*+$")
_UNDERLINE_STARTS = frozenset(" -=")


def scan_study(text: str) -> list[Block]:
    """Find the blocks of a document.

    Parameters
    ----------
    text : str
        The document.

    Returns
    -------
    list of Block
        In order; titles are as written, without the closing ``#``s.
    """
    lines = split_lines(text)
    scanner = _Scanner(lines)
    with collector_paused():
        scanner.run()
    return scanner.found.blocks


class _Scanner:
    """Each method that takes a line's number reads the block there and returns the number of the line after it."""

    def __init__(self, lines: Lines) -> None:
        self.found = Found(lines)
        self._lines, self._before = lines

    def run(self) -> None:
        lines, before, blocks = self._lines, self._before, self.found.blocks
        make = tuple.__new__
        last = len(lines) - 1
        number = self._front_matter()
        while number <= last:
            line = lines[number]
            mark = line.lstrip()[:1]
            if not mark:
                number += 1
            elif mark in _MARKS or mark.isdecimal():
                number = self._marked(number, line, mark)
            elif number < last and not lines[number + 1]:
                # The most common block, a paragraph of one line, goes the shortest way.
                start = before[number] + number
                blocks.append(make(Block, (PARAGRAPH, start, start + len(line), 0, "")))
                number += 2
            else:
                number = self._unmarked(number, line)

    def _front_matter(self) -> int:
        lines = self._lines
        if lines[0].lstrip("\ufeff").strip() == "---":
            for number in range(1, len(lines)):
                if lines[number].strip() == "---":
                    return self.found.add(FRONT_MATTER, 0, number + 1)
        return 0

    def _marked(self, number: int, line: str, mark: str) -> int:
        """Read the block of a line whose first character may be a mark."""
        if mark in "`~" and (fence := _FENCE.match(line)):
            return self._fence(number, fence[1])
        if mark == "#" and (marks := _ATX.match(line)) and (content := line[marks.end() :].strip()):
            return self.found.add_heading(number, number + 1, len(marks[1]), _atx_title(content))
        item = bool(_ITEM.match(line))
        is_rule = mark in "*-_" and bool(_RULE.match(line))
        if not (item or is_rule or mark == ">") and self._is_underlined(number):
            return self._setext(number)
        if "|" in line and self._heads_table(number):
            return self._table(number)
        if item:
            return self._list(number)
        if mark == ">":
            return self._quote(number)
        return self.found.add(RULE, number, number + 1) if is_rule else self._paragraph(number)

    def _unmarked(self, number: int, line: str) -> int:
        if self._is_underlined(number):
            return self._setext(number)
        if "|" in line and self._heads_table(number):
            return self._table(number)
        return self._paragraph(number)

    def _is_underlined(self, number: int) -> bool:
        following = self._lines[number + 1 : number + 2]
        return bool(following) and following[0][:1] in _UNDERLINE_STARTS and bool(_SETEXT.match(following[0]))

    def _heads_table(self, number: int) -> bool:
        following = self._lines[number + 1 : number + 2]
        return bool(following) and bool(_DELIMITERS.match(following[0]))

    def _setext(self, number: int) -> int:
        level = 1 if self._lines[number + 1].lstrip()[0] == "=" else 2
        return self.found.add_heading(number, number + 2, level, self._lines[number].strip())

    def _fence(self, first: int, fence: str) -> int:
        lines = self._lines
        for number in range(first + 1, len(lines)):
            line = lines[number]
            if fence in line and not line.rstrip(" \t").lstrip(" ").strip(fence[0]):
                indent = len(line) - len(line.lstrip(" "))
                if indent < 4:
                    return self.found.add(CODE, first, number + 1)
        return self.found.add(CODE, first, len(lines))

    def _table(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines) and "|" in lines[number]:
            number += 1
        return self.found.add(TABLE, first, number)

    def _list(self, first: int) -> int:
        lines = self._lines
        base = _indent(lines[first])
        end = number = first + 1
        while number < len(lines):
            line = lines[number]
            number += 1
            if not line or line.isspace():
                continue
            if _indent(line) <= base and not _ITEM.match(line):
                break
            end = number
        return self.found.add(LIST, first, end)

    def _quote(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines) and lines[number].lstrip().startswith(">"):
            number += 1
        return self.found.add(QUOTE, first, number)

    def _paragraph(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines):
            line = lines[number]
            mark = line.lstrip()[:1]
            if not mark or "|" in line:
                break
            if (mark in _MARKS or mark.isdecimal()) and _interrupts(line, mark):
                break
            number += 1
        return self.found.add(PARAGRAPH, first, number)


def _atx_title(content: str) -> str:
    opened = content.rstrip("#")
    return opened.rstrip() if opened and opened[-1].isspace() else content


def _interrupts(line: str, mark: str) -> bool:
    if mark in "`~":
        return bool(_FENCE.match(line))
    return mark in "#>" or bool(_ITEM.match(line))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
