"""Where a key stands in a TOML file, so that a fault can name its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["KeyLines"]

_TABLE = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_LINE_END = re.compile(r"\r\n|\n")
# Strings and comments, in the order in which they must be tried: what is inside them is no key.
_QUOTED = re.compile(
    r"""
    ["]{3} (?: \\. | [^\\] )*? ["]{3,5}     # basic string of several lines
    | '{3} .*? '{3,5}                       # literal string of several lines
    | " (?: \\. | [^"\\\n] )* "
    | ' [^'\n]* '
    | \# [^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)

Step = str | int


class KeyLines:
    """The line numbers of the keys and tables of a TOML text that the standard library has accepted."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[Step, ...], int] = {}
        table: tuple[Step, ...] = ()
        counts: dict[tuple[Step, ...], int] = {}
        starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        inside = _starts_inside(text)
        for number, (line, start) in enumerate(zip(_LINE_END.split(text), starts, strict=True), start=1):
            if start in inside:
                continue
            if header := _TABLE.match(line):
                table = _parts(header[2])
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    self._lines.setdefault(table, number)
                    table = (*table, counts[table])
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*table, *_parts(key[1])), number)

    def of(self, path: Sequence[Step]) -> int:
        """Return the line, from 1, of a key path such as ``("contrasts", 0, "of")``, or of its nearest parent."""
        for length in range(len(path), 0, -1):
            if (line := self._lines.get(tuple(path[:length]))) is not None:
                return line
        return 1


def _starts_inside(text: str) -> set[int]:
    """Return the starts of the lines that begin inside a string of several lines."""
    return {quoted.start() + end.end() for quoted in _QUOTED.finditer(text) for end in _LINE_END.finditer(quoted[0])}


def _parts(dotted: str) -> tuple[Step, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
