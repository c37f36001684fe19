"""What one line can be: the block rules of CommonMark 0.31 and GFM tables, each on one line.

Every rule takes a line and the position of its first character that is not a blank; that
there are at most three columns of blanks before it is for the caller to know.
"""

from __future__ import annotations

import re

__all__ = [
    "BULLET_OR_NUMBER",
    "TILL_BLANK",
    "atx",
    "atx_title",
    "closes_fence",
    "delimiter_cells",
    "html_end",
    "interrupting_item",
    "is_rule",
    "opens_fence",
    "row_cells",
    "setext_level",
]

BULLET_OR_NUMBER = re.compile(r"(?:([-+*])|[0-9]{1,9}([.)]))(?=[ \t]|$)")
"""A list marker (section 5.2); the group that matched names the type of the list."""

TILL_BLANK = re.compile(r"(?!)")
"""The end of an HTML block that only a blank line ends: a pattern that no line holds."""

_FENCE = re.compile(r"`{3,}+(?!.*`)|~{3,}+")
_SETEXT = re.compile(r"(?:=++|-++)[ \t]*+$")
_RULE = re.compile(r"(?:\*[ \t]*+){3,}+$|(?:-[ \t]*+){3,}+$|(?:_[ \t]*+){3,}+$")
_INTERRUPTING = re.compile(r"(?:[-+*]|0{0,8}1[.)])[ \t]+(?![ \t]|$)")
_DELIMITERS = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")

_BLOCK_TAGS = frozenset(
    """address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link
    main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead
    title tr track ul""".split()  # noqa: SIM905 - a list would take seventy lines
)
_RAW_TAGS = frozenset(("pre", "script", "style", "textarea"))
_HTML_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)(?:([ \t>]|$)|(/>))?")
_HTML_ENDS = (
    ("<!--", re.compile(r"-->")),
    ("<?", re.compile(r"\?>")),
    ("<![CDATA[", re.compile(r"\]\]>")),
)
_DECLARATION = re.compile(r"<![A-Za-z]")
_DECLARATION_END = re.compile(r">")
_RAW_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_KNOWN_TAGS = dict.fromkeys(_BLOCK_TAGS, TILL_BLANK) | dict.fromkeys(_RAW_TAGS, _RAW_END)
"""What ends the block that a tag starts, by its name in small letters."""

_HTML_ANY_TAG = re.compile(
    r"""<(?:[A-Za-z][A-Za-z0-9-]*+
          (?:[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:[ \t]*+=[ \t]*+(?:[^ \t"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+
          [ \t]*+/?
        |/[A-Za-z][A-Za-z0-9-]*+[ \t]*+)>[ \t]*$""",
    re.VERBOSE,
)


def atx(line: str, at: int) -> int:
    """Return the level of an ATX heading (section 4.2), 0 if the line is none."""
    rest = line[at:]
    content = rest.lstrip("#")
    level = len(rest) - len(content)
    return level if level < 7 and (not content or content[0] in " \t") else 0


def atx_title(content: str) -> str:
    """Return what stands between the opening ``#``s, already cut off, and the closing ones."""
    content = content.strip(" \t")
    if content[-1:] != "#":
        return content
    opened = content.rstrip("#")
    return opened.rstrip(" \t") if not opened or opened[-1] in " \t" else content


def opens_fence(line: str, at: int) -> str:
    """Return the fence that opens a code block (section 4.5), "" if none does."""
    found = _FENCE.match(line, at)
    return found[0] if found else ""


def closes_fence(line: str, at: int, fence: str) -> bool:
    """Tell whether a line closes the code block that ``fence`` opened."""
    return line.startswith(fence, at) and not line[at:].rstrip(" \t").strip(fence[0])


def setext_level(line: str, at: int) -> int:
    """Return the level that a Setext underline (section 4.3) gives, 0 if the line is none."""
    if not _SETEXT.match(line, at):
        return 0
    return 1 if line[at] == "=" else 2


def is_rule(line: str, at: int) -> bool:
    """Tell whether a line is a thematic break (section 4.1)."""
    return bool(_RULE.match(line, at))


def interrupting_item(line: str, at: int) -> bool:
    """Tell whether a line is a list item that may follow a paragraph without a blank line (section 5.2)."""
    return bool(_INTERRUPTING.match(line, at))


def html_end(line: str, at: int, *, interrupts: bool) -> re.Pattern[str] | None:
    """Return the pattern whose line ends the HTML block that a line starts (section 4.6), None if it starts none.

    ``interrupts`` says that a paragraph is open, which a block of kind 7 may not interrupt.
    """
    tag = _HTML_TAG.match(line, at)
    if tag is None:
        for start, end in _HTML_ENDS:
            if line.startswith(start, at):
                return end
        return _DECLARATION_END if _DECLARATION.match(line, at) else None
    slash, name, after, closed = tag.groups()
    known = _KNOWN_TAGS.get(name.lower())
    if known is _RAW_END and not slash and after is not None:
        return _RAW_END
    if known is TILL_BLANK and (after is not None or closed):
        return TILL_BLANK
    return TILL_BLANK if not interrupts and _HTML_ANY_TAG.match(line, at) else None


def row_cells(line: str, at: int) -> int:
    """Return the number of cells of a table row (GFM, section 4.10), 0 for a line that cannot head a table."""
    row = line[at:].strip(" \t")
    pipes = row.count("|") - row.count("\\|")
    if not pipes:
        return 0
    return pipes + 1 - row.startswith("|") - (row.endswith("|") and not row.endswith("\\|"))


def delimiter_cells(line: str, at: int) -> int:
    """Return the number of cells of a table's delimiter row (GFM, section 4.10), 0 if the line is none."""
    return (row_cells(line, at) or 1) if _DELIMITERS.match(line, at) else 0
