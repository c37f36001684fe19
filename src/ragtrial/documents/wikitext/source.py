"""Wikitext without what no reader sees, and the way back to its lines.

Comments, footnotes, galleries and the like are cut out; what stands in ``nowiki``, ``math``, ``pre`` or a listing is
put aside and marked, since its marks mean nothing. Private-use characters are the marks, so those of the source go
first. Everything is one pass: an element that is never closed is looked for once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import NamedTuple

__all__ = ["MARKS", "Cleaned", "Verbatim", "clean"]

MARKS = "\ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007"
"""Private-use characters that stand for marks while a page is read; none is in a text at the end."""

_PRIVATE = re.compile(f"[{MARKS}]")
_ELEMENT = re.compile(
    r"<!--|<(ref|references|gallery|timeline|score|imagemap|mapframe|maplink|templatedata|templatestyles|graph|hiero"
    r"|nowiki|pre|math|chem|ce|source|syntaxhighlight)(?=[\s/>])((?:[^<>\"']++|\"[^\"<>]*+\"|'[^'<>]*+'|[\"'])*+)>",
    re.IGNORECASE,
)
_VERBATIM = frozenset(("nowiki", "pre", "math", "chem", "ce", "source", "syntaxhighlight"))
_LISTINGS = frozenset(("pre", "source", "syntaxhighlight"))
_LANGUAGE = re.compile(r"""lang(?:uage)?\s*=\s*["']?([A-Za-z0-9_+#.-]+)""")


class Verbatim(NamedTuple):
    """What was put aside: its text, the language of a listing, whether it is one, and its first line."""

    text: str
    language: str
    listing: bool
    line: int


class Cleaned(NamedTuple):
    """The text that is left, what was put aside, what was cut, and where lines of the source are missing."""

    text: str
    verbatim: tuple[Verbatim, ...]
    dropped: Counter[str]
    ends: list[int]
    lines: list[int]

    def line(self, offset: int) -> int:
        """Return the line of the source from which the character at an offset comes."""
        return self.lines[bisect_right(self.ends, offset) - 1]


def clean(source: str) -> Cleaned:
    """Cut out what no reader sees; a page without marks comes back as it is."""
    source = _PRIVATE.sub("", source.replace("\r\n", "\n").replace("\r", "\n"))
    parts: list[str] = []
    verbatim: list[Verbatim] = []
    dropped: Counter[str] = Counter()
    lower = _lowered(source)
    absent: set[str] = set()
    starts: list[tuple[int, int]] = []
    position = length = line = 0
    while found := _ELEMENT.search(source, position):
        kept = source[position : found.start()]
        starts.append((length, line))
        parts.append(kept)
        length += len(kept)
        line += kept.count("\n")
        end, name = _end(lower, found, absent)
        if name in _VERBATIM and end > found.end():
            inner = source[found.end() : lower.rindex("</", found.end(), end)]
            language = _LANGUAGE.search(found[2])
            verbatim.append(Verbatim(inner, language[1] if language else "", name in _LISTINGS, line + 1))
            mark = f"\ue002{len(verbatim) - 1}\ue003"
            parts.append(mark)
            length += len(mark)
        elif name not in _VERBATIM:
            dropped[name] += 1
        line += source.count("\n", found.start(), end)
        position = end
    starts.append((length, line))
    parts.append(source[position:])
    text = "".join(parts)
    return Cleaned(text, tuple(verbatim), dropped, *_line_table(text, starts))


def _end(lower: str, found: re.Match[str], absent: set[str]) -> tuple[int, str]:
    """Return the end of an element with its content, and its name; one that is never closed is its tag alone."""
    if found[1] is None:
        end = -1 if "-->" in absent else lower.find("-->", found.end())
        if end < 0:
            absent.add("-->")
            return len(lower), "comment"
        return end + 3, "comment"
    name = found[1].lower()
    if found[2].endswith("/"):
        return found.end(), name
    closing = f"</{name}"
    end = -1 if closing in absent else lower.find(closing, found.end())
    if end < 0:
        absent.add(closing)
        return found.end(), name
    if name == "ref" and (again := lower.find("<ref", found.end(), end)) >= 0 and lower[again + 4] in " >":
        opened = lower.find(">", again)
        if lower[opened - 1] != "/":
            # The next footnote begins before this one ends: its end was forgotten.
            return found.end(), name
    after = lower.find(">", end)
    return (after + 1 if 0 <= after < end + 80 else end + len(closing)), name


def _lowered(source: str) -> str:
    # str.lower may change the length, and with it all offsets.
    return source.lower() if source.isascii() else source.translate({n: n + 32 for n in range(65, 91)})


def _line_table(text: str, starts: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return the offsets at which the line changes, and the line, from 1, that begins at each of them."""
    ends = [0]
    lines = [1]
    for (start, before), (stop, _) in zip(starts, [*starts[1:], (len(text), 0)], strict=True):
        line = before
        if line + 1 != lines[-1]:
            ends.append(start)
            lines.append(line + 1)
        position = text.find("\n", start, stop)
        while position >= 0:
            line += 1
            ends.append(position + 1)
            lines.append(line + 1)
            position = text.find("\n", position + 1, stop)
    return ends, lines
