"""The blocks of a document as the study's parser sees them (METHODS section 2.1, points 1 to 8; MDK appendix N.1).

White space is what ``str.strip`` takes away, as in the study. A byte order mark is ignored
only before front matter: anywhere else it belongs to its line.
"""

from __future__ import annotations

import re

from ragtrial.documents.markdown.lines import split_lines
from ragtrial.documents.model import Block, Kind

__all__ = ["scan_study"]

_ATX = re.compile(r" {0,3}(#{1,6})(?=\s)")
_DELIMITERS = re.compile(r"[\s:-]*+\|[\s:|-]*+$")
_FENCE = re.compile(r" {0,3}(`{3,}+(?!.*`)|~{3,}+)")
_ITEM = re.compile(r"\s*+(?:[-*+]|\d++[.)])\s++\S")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
_SETEXT = re.compile(r" {0,3}(?:=++|-++)\s*+$")


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
    scanner = _Scanner(text)
    scanner.run()
    return scanner.blocks


class _Scanner:
    """Each method that takes a line's number reads the block there and returns the number of the line after it."""

    def __init__(self, text: str) -> None:
        self._lines, self._starts = split_lines(text)
        self.blocks: list[Block] = []

    def run(self) -> None:
        lines = self._lines
        number = self._front_matter()
        while number < len(lines):
            line = lines[number]
            number = self._block(number, line) if line and not line.isspace() else number + 1

    def _add(self, kind: Kind, first: int, end: int, level: int = 0, title: str = "") -> int:
        last = end - 1
        block_end = self._starts[last] + len(self._lines[last])
        self.blocks.append(Block(kind, self._starts[first], block_end, level, title))
        return end

    def _front_matter(self) -> int:
        lines = self._lines
        if lines[0].lstrip("\ufeff").strip() == "---":
            for number in range(1, len(lines)):
                if lines[number].strip() == "---":
                    return self._add(Kind.FRONT_MATTER, 0, number + 1)
        return 0

    def _block(self, number: int, line: str) -> int:
        first = line.lstrip()[0]
        if first in "`~" and (fence := _FENCE.match(line)):
            return self._fence(number, fence[1])
        if first == "#" and (marks := _ATX.match(line)) and (content := line[marks.end() :].strip()):
            return self._add(Kind.HEADING, number, number + 1, len(marks[1]), _atx_title(content))
        item = _is_item(line, first)
        following = self._lines[number + 1] if number + 1 < len(self._lines) else ""
        if _SETEXT.match(following) and not (item or first == ">" or _RULE.match(line)):
            level = 1 if following.lstrip()[0] == "=" else 2
            return self._add(Kind.HEADING, number, number + 2, level, line.strip())
        if "|" in line and _DELIMITERS.match(following):
            return self._table(number)
        if item:
            return self._list(number)
        if first == ">":
            return self._quote(number)
        if first in "*-_" and _RULE.match(line):
            return self._add(Kind.RULE, number, number + 1)
        return self._paragraph(number)

    def _fence(self, first: int, fence: str) -> int:
        lines = self._lines
        for number in range(first + 1, len(lines)):
            line = lines[number]
            if fence in line and not line.rstrip(" \t").lstrip(" ").strip(fence[0]):
                indent = len(line) - len(line.lstrip(" "))
                if indent < 4:
                    return self._add(Kind.CODE, first, number + 1)
        return self._add(Kind.CODE, first, len(lines))

    def _table(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines) and "|" in lines[number]:
            number += 1
        return self._add(Kind.TABLE, first, number)

    def _list(self, first: int) -> int:
        lines = self._lines
        base = _indent(lines[first])
        end = number = first + 1
        while number < len(lines):
            line = lines[number]
            number += 1
            if not line or line.isspace():
                continue
            if _indent(line) <= base and not _is_item(line, line.lstrip()[0]):
                break
            end = number
        return self._add(Kind.LIST, first, end)

    def _quote(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines) and lines[number].lstrip().startswith(">"):
            number += 1
        return self._add(Kind.QUOTE, first, number)

    def _paragraph(self, first: int) -> int:
        lines = self._lines
        number = first + 1
        while number < len(lines):
            line = lines[number]
            if "|" in line:
                break
            if not line[:1].isalpha():
                stripped = line.lstrip()
                if not stripped or stripped[0] in "#>":
                    break
                if _is_item(line, stripped[0]) or (stripped[0] in "`~" and _FENCE.match(line)):
                    break
            number += 1
        return self._add(Kind.PARAGRAPH, first, number)


def _atx_title(content: str) -> str:
    opened = content.rstrip("#")
    return opened.rstrip() if opened and opened[-1].isspace() else content


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_item(line: str, first: str) -> bool:
    return (first in "-*+" or first.isdecimal()) and bool(_ITEM.match(line))
