"""Line numbers that survive a parser that knows none, and limits for it.

Before the source is parsed, one or two private-use characters that encode the line are put in front of the first letter
of every line of every run of text. They pass through the parser as text does, whatever the parser repairs, and are
taken out when the text is written. Runs of white space get none, so nothing is moved that would not have been. Where
the scan takes an odd attribute for text, the mark ends in the attribute and is taken out there.

The parser needs time that grows with the square of the depth of nesting and of the number of attributes of a tag. So
attributes of a tag of more than 4,000 characters go (an image inside the page), and deeper nesting than 500
elements is refused. The scan itself is linear: it never looks twice for something that is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragtrial.errors import DataError

__all__ = ["mark_lines", "pieces", "unmarked"]

_LOW = 0xF0000
_HIGH = 0x100000
_COUNT = 0xFFFE
_MARK = re.compile("([\U00100000-\U0010ffff]?)([\U000f0000-\U000fffff])")
_PRIVATE = re.compile("[\U000f0000-\U0010ffff]")
_WORD_OF_LINE = re.compile(r"(?:\A|\n)[^\S\n]*+(?=\S)")
_TAG = re.compile(r"""<(/?)([A-Za-z][^\s/>]*+)(?:[^>"'=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|[="'])*+>""")
_CODE = frozenset(("iframe", "noembed", "noframes", "script", "style"))
_RAW = frozenset(("textarea", "title", "xmp"))
_LONGEST_TAG = 4_000
_DEEPEST = 500
# Elements that hold nothing, whose end is often not written, or that the parser itself limits.
_NOT_NESTED = frozenset(
    (
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *("body", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "rp", "rt", "tbody", "td"),
        *("tfoot", "th", "thead", "tr"),
        *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"),
    )
)


def mark_lines(source: str) -> str:
    """Return HTML with marks, ready for the parser.

    Private-use characters of planes 15 and 16 that were there are left out, and so are scripts and styles.

    Raises
    ------
    DataError
        Elements are nested too deeply; the message is the reason only.
    """
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    source = _PRIVATE.sub("", source)
    parts: list[str] = []
    line = 1
    for start, end, kept in _runs(source):
        run = source[start:end]
        parts.append(_marked(run, line) if kept is None else kept)
        line += run.count("\n")
    return "".join(parts)


def _marked(run: str, line: int) -> str:
    if not run.strip():
        return run
    parts: list[str] = []
    position = 0
    number = line
    for found in _WORD_OF_LINE.finditer(run):
        number += run.count("\n", position, found.end())
        high = chr(_HIGH + number // _COUNT) if number >= _COUNT else ""
        parts += (run[position : found.end()], high, chr(_LOW + number % _COUNT))
        position = found.end()
    parts.append(run[position:])
    return "".join(parts)


def _runs(source: str) -> Iterator[tuple[int, int, str | None]]:
    """Yield the ranges of text, with None, and of mark-up, each with what is left of it."""
    absent: set[str] = set()
    lower = source.lower() if source.isascii() else source.translate(_LOWER)
    position = text = depth = 0
    while (start := source.find("<", position)) >= 0:
        following = source[start + 1 : start + 2]
        if not (following.isascii() and following.isalpha()) and following not in ("/", "!", "?"):
            position = start + 1
            continue
        end, kept, deeper = _markup(source, lower, start, absent)
        depth = max(depth + deeper, 0)
        if depth > _DEEPEST:
            raise DataError(f"it nests more than {_DEEPEST:,} elements")
        if start > text:
            yield text, start, None
        yield start, end, kept
        position = text = end
    if text < len(source):
        yield text, len(source), None


_LOWER = {number: number + 32 for number in range(ord("A"), ord("Z") + 1)}


def _markup(source: str, lower: str, start: int, absent: set[str]) -> tuple[int, str, int]:
    """Return the end of a comment, a tag, or an element that holds no mark-up, what is left of it, and its depth."""
    if source.startswith("<!--", start):
        # <!--> and <!---> are whole comments.
        end = _after(source, "-->", start + 2, absent)
        return end, "<!---->", 0
    tag = _TAG.match(source, start)
    if tag is None:
        letter = source[start + 1].isalpha() or source[start + 2 : start + 3].isalpha()
        end = len(source) if letter and source[start + 1] not in "!?" else _after(source, ">", start, absent)
        return end, source[start:end] if source[start + 1] == "!" else "", 0
    name = tag[2].translate(_LOWER)
    end = tag.end()
    if tag[1]:
        return end, f"</{name}>", 0 if name in _NOT_NESTED else -1
    if name in _CODE:
        return _before(lower, f"</{name}", end, absent), "", 0
    kept = tag[0] if len(tag[0]) <= _LONGEST_TAG else f"<{name}>"
    if name in _RAW:
        close = _before(lower, f"</{name}", end, absent)
        return close, kept + source[end:close], 0
    return end, kept, 0 if name in _NOT_NESTED or tag[0].endswith("/>") else 1


def _before(source: str, wanted: str, position: int, absent: set[str]) -> int:
    """Return the position of the next occurrence of a string, the end of the source if there is none."""
    found = -1 if wanted in absent else source.find(wanted, position)
    if found < 0:
        absent.add(wanted)
        return len(source)
    return found


def _after(source: str, wanted: str, position: int, absent: set[str]) -> int:
    return min(_before(source, wanted, position, absent) + len(wanted), len(source))


def pieces(text: str, last: int) -> Iterator[tuple[int, str]]:
    """Yield the stretches between marks with their lines; what comes before the first mark is on line ``last``."""
    position = 0
    for found in _MARK.finditer(text):
        if found.start() > position:
            yield last, text[position : found.start()]
        high = (ord(found[1]) - _HIGH) * _COUNT if found[1] else 0
        last = high + ord(found[2]) - _LOW
        position = found.end()
    if position < len(text):
        yield last, text[position:]


def unmarked(text: str) -> str:
    """Return a text without marks."""
    return _PRIVATE.sub("", text)
