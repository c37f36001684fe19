"""The blocks of a document as CommonMark 0.31 with GFM tables sees them: the default dialect.

One pass over the lines. The first character of a line decides what it can be, so most
lines cost one look-up. Lists and quotes are followed by `Containers`; all other blocks are read
here. Two extensions: front matter, and display math as one block.
"""

from __future__ import annotations

from typing import NamedTuple

from ragtrial.documents.markdown.containers import MARKS, Containers
from ragtrial.documents.markdown.definitions import leading_definitions
from ragtrial.documents.markdown.front_matter import front_matter_length
from ragtrial.documents.markdown.lines import (
    CODE,
    FRONT_MATTER,
    HTML,
    LIST,
    MATH,
    PARAGRAPH,
    QUOTE,
    RULE,
    TABLE,
    Found,
    Lines,
    collector_paused,
    split_lines,
)
from ragtrial.documents.markdown.rules import (
    BULLET_OR_NUMBER,
    TILL_BLANK,
    atx,
    atx_title,
    closes_fence,
    delimiter_cells,
    html_end,
    interrupting_item,
    is_rule,
    opens_fence,
    row_cells,
    setext_level,
)
from ragtrial.documents.parts import Block, Kind

__all__ = ["Scan", "scan_commonmark"]

# Four columns of blanks; a tab reaches to the next multiple of four.
_CODE_INDENTS = ("    ", "\t", " \t", "  \t", "   \t")


class Scan(NamedTuple):
    """What one pass over a document finds.

    Where titles will stand, ``found`` holds the content of headings as written;
    ``references`` are the normalised labels of all link reference definitions.
    """

    found: Found
    references: set[str]


def scan_commonmark(text: str, *, math: bool) -> Scan:
    """Find the blocks of a document.

    Parameters
    ----------
    text : str
        The document. A byte order mark at its start belongs to no block.
    math : bool
        Whether ``$$ ... $$`` is a block: from a line that starts with ``$$`` to the next ``$$``, without a
        blank line between them, as TeX demands.

    Returns
    -------
    Scan
        The blocks in order, and what turns them into offsets and titles.
    """
    lines = split_lines(text)
    if text.startswith("\ufeff"):
        lines.lines[0] = lines.lines[0][1:]
        lines.before[0] = 1
    scanner = _Scanner(lines, math=math)
    with collector_paused():
        scanner.run()
    return Scan(scanner.found, scanner.references)


class _Scanner:
    """Each method that takes a line's number reads the block there and returns the number of the line after it."""

    def __init__(self, lines: Lines, *, math: bool) -> None:
        self.lines, self._before = lines
        self.found = Found(lines)
        self.references: set[str] = set()
        self._containers = Containers(lines.lines)
        self._math = math

    def run(self) -> None:
        lines, before, blocks, readers = self.lines, self._before, self.found.blocks, _READERS
        make = tuple.__new__
        last = len(lines) - 1
        number = front_matter_length(lines)
        if number:
            self.found.add(FRONT_MATTER, 0, number)
        while number <= last:
            line = lines[number]
            first = line[:1]
            if not line:
                number += 1
            elif first in readers:
                number = readers[first](self, number, 0)
            elif first in " \t":
                number = self._indented(number, line)
            elif number < last and not lines[number + 1] and first != "[":
                # The most common block, a paragraph of one line, goes the shortest way.
                start = before[number] + number
                blocks.append(make(Block, (PARAGRAPH, start, start + len(line), 0, "")))
                number += 2
            else:
                number = self._paragraph(number)
        for inside in self._containers.bracketed:
            self.references.update(leading_definitions(inside)[1])

    def _add_trimmed(self, kind: Kind, first: int, end: int) -> int:
        """Add a block without the blank lines at its end."""
        while not self.lines[end - 1].strip(" \t"):
            end -= 1
        return self.found.add(kind, first, end)

    def _indented(self, number: int, line: str) -> int:
        mark = _mark(line)
        if mark == len(line):
            return number + 1
        if line.startswith(_CODE_INDENTS):
            return self._indented_code(number)
        reader = _READERS.get(line[mark])
        return reader(self, number, mark) if reader else self._paragraph(number)

    def _indented_code(self, first: int) -> int:
        lines = self.lines
        number = first + 1
        while number < len(lines):
            line = lines[number]
            if line and line[:4] != "    " and not line.startswith(_CODE_INDENTS) and line.strip(" \t"):
                break
            number += 1
        return self._add_trimmed(CODE, first, number)

    def _heading(self, number: int, mark: int) -> int:
        line = self.lines[number]
        level = atx(line, mark)
        if not level:
            return self._paragraph(number)
        return self.found.add_heading(number, number + 1, level, atx_title(line[mark + level :]))

    def _fence(self, first: int, mark: int) -> int:
        lines = self.lines
        fence = opens_fence(lines[first], mark)
        if not fence:
            return self._paragraph(first)
        for number in range(first + 1, len(lines)):
            line = lines[number]
            if fence in line:
                mark = _mark(line)
                if closes_fence(line, mark, fence) and not line.startswith(_CODE_INDENTS):
                    return self.found.add(CODE, first, number + 1)
        return self._add_trimmed(CODE, first, len(lines))

    def _html(self, first: int, mark: int) -> int:
        lines = self.lines
        end = html_end(lines[first], mark, interrupts=False)
        if end is None:
            return self._paragraph(first)
        if end is TILL_BLANK:
            number = first + 1
            while number < len(lines) and lines[number].strip(" \t"):
                number += 1
            return self.found.add(HTML, first, number)
        for number in range(first, len(lines)):
            if end.search(lines[number]):
                return self.found.add(HTML, first, number + 1)
        return self._add_trimmed(HTML, first, len(lines))

    def _container(self, number: int, mark: int) -> int:
        kind = QUOTE if self.lines[number][mark] == ">" else LIST
        return self.found.add(kind, number, self._containers.end(number))

    def _rule_or_list(self, number: int, mark: int) -> int:
        line = self.lines[number]
        if is_rule(line, mark):
            return self.found.add(RULE, number, number + 1)
        if BULLET_OR_NUMBER.match(line, mark):
            return self._container(number, mark)
        return self._paragraph(number)

    def _display_math(self, number: int, mark: int) -> int:
        end = self._math_end(number, mark)
        return self.found.add(MATH, number, end) if end else self._paragraph(number)

    def _math_end(self, first: int, mark: int) -> int:
        """Return the line after the display math that starts on a line, 0 if none does."""
        lines = self.lines
        if not self._math or not lines[first].startswith("$$", mark):
            return 0
        rest = lines[first][mark + 2 :].rstrip(" \t")
        if "$$" in rest:
            return first + 1 if rest.find("$$") == len(rest) - 2 else 0
        number = first + 1
        while number < len(lines) and lines[number].strip(" \t"):
            if "$$" in lines[number]:
                return number + 1
            number += 1
        return 0

    def _paragraph(self, first: int) -> int:
        """Read a paragraph, a Setext heading, or a table, which all start with a line of text."""
        lines = self.lines
        number = first + 1
        if number < len(lines) and not lines[number]:
            return self._text(first, number)
        while number < len(lines):
            line = lines[number]
            mark = 0
            if line and line[0] in MARKS:
                mark = _mark(line)
                if mark > 0 and mark < len(line) and line.startswith(_CODE_INDENTS):
                    number += 1
                    continue
            elif line:
                number += 1
                continue
            if mark == len(line):
                break
            if line[mark] in "-=" and setext_level(line, mark):
                end = self._underlined(first, number, mark)
                if end:
                    return end
                first = number
            if self._interrupts(number, line, mark):
                break
            if line[mark] in "|:-" and self._heads_table(number, line, mark):
                self._text(first, number - 1)
                return self._table(number - 1)
            number += 1
        return self._text(first, number)

    def _interrupts(self, number: int, line: str, mark: int) -> bool:
        """Tell whether a line starts a block that needs no blank line before it."""
        character = line[mark]
        if character in "-*_" and is_rule(line, mark):
            return True
        if character in "-*+01":
            return interrupting_item(line, mark)
        if character == "#":
            return bool(atx(line, mark))
        if character in "`~":
            return bool(opens_fence(line, mark))
        if character == "<":
            return html_end(line, mark, interrupts=True) is not None
        return character == ">" or (character == "$" and bool(self._math_end(number, mark)))

    def _underlined(self, first: int, number: int, mark: int) -> int:
        """Add the heading that a Setext underline makes of the paragraph from ``first`` on.

        Definitions that the paragraph starts with are no part of the heading; where there is
        nothing else the line underlines nothing, and 0 is returned.
        """
        level = setext_level(self.lines[number], mark)
        taken = self._define(first, number)
        if taken:
            first = self.found.add(PARAGRAPH, first, first + taken)
        if first == number:
            return 0
        title = "\n".join(line.strip(" \t") for line in self.lines[first:number])
        return self.found.add_heading(first, number + 1, level, title)

    def _text(self, first: int, end: int) -> int:
        """Add a paragraph, and before it the definitions that it starts with as one of their own."""
        if first == end:
            return end
        if self.lines[first][0] in " \t[":
            taken = self._define(first, end)
            if 0 < taken < end - first:
                first = self.found.add(PARAGRAPH, first, first + taken)
        return self.found.add(PARAGRAPH, first, end)

    def _define(self, first: int, end: int) -> int:
        """Note the definitions that a paragraph starts with and return how many lines they take."""
        if self.lines[first].lstrip(" \t")[0] != "[":
            return 0
        taken, labels = leading_definitions([line.lstrip(" \t") for line in self.lines[first:end]])
        self.references.update(labels)
        return taken

    def _heads_table(self, number: int, line: str, mark: int) -> bool:
        """Tell whether a line is a delimiter row and the one before it, of the same paragraph, a header row."""
        cells = delimiter_cells(line, mark)
        if not cells:
            return False
        header = self.lines[number - 1]
        mark = _mark(header)
        return row_cells(header, mark) == cells and not header.startswith(_CODE_INDENTS)

    def _table(self, first: int) -> int:
        lines = self.lines
        number = first + 2
        while number < len(lines):
            line = lines[number]
            mark = _mark(line)
            if mark == len(line) or line.startswith(_CODE_INDENTS) or self._ends_table(number, line, mark):
                break
            number += 1
        return self.found.add(TABLE, first, number)

    def _ends_table(self, number: int, line: str, mark: int) -> bool:
        character = line[mark]
        if character in "-*+0123456789" and BULLET_OR_NUMBER.match(line, mark):
            return True
        return character in MARKS and self._interrupts(number, line, mark)


_READERS = {
    "#": _Scanner._heading,
    "`": _Scanner._fence,
    "~": _Scanner._fence,
    "<": _Scanner._html,
    ">": _Scanner._container,
    "$": _Scanner._display_math,
    **dict.fromkeys("-*_+0123456789", _Scanner._rule_or_list),
}
"""What reads the block of a line, by the first character that is not a blank; all else starts with text."""


def _mark(line: str) -> int:
    """Return the position of the first character that is not a blank, the length of the line if there is none."""
    return len(line) - len(line.lstrip(" \t"))
