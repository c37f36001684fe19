"""Where a key stands in a TOML file, so that a fault can name its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["KeyLines"]

_TABLE = re.compile(r"^\s*(\[{1,2})\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")
_MULTILINE = re.compile(r'"""|\'\'\'')

Step = str | int


class KeyLines:
    """The line numbers of the keys and tables of a TOML text that the standard library has accepted."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[Step, ...], int] = {}
        table: tuple[Step, ...] = ()
        counts: dict[tuple[Step, ...], int] = {}
        inside = False
        for number, line in enumerate(text.splitlines(), start=1):
            was_inside = inside
            inside ^= len(_MULTILINE.findall(line)) % 2 == 1
            if was_inside:
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


def _parts(dotted: str) -> tuple[Step, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
