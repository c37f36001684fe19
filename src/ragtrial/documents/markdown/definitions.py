"""Link reference definitions at the head of a paragraph (CommonMark 0.31, section 4.7)."""

from __future__ import annotations

import re

__all__ = ["LABEL", "TITLE", "destination_end", "leading_definitions", "normalised"]

LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.DOTALL)
"""A link label; that it has at most 999 characters and not only blanks, `normalised` checks."""

TITLE = re.compile(
    r""" "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | \((?:[^()\\]|\\.)*+\) """,
    re.DOTALL | re.VERBOSE,
)
"""A link title with its quotes or parentheses."""

_ANGLES = re.compile(r"<(?:[^<>\n\\]|\\.)*+>")
_BARE_MARK = re.compile(r"\\[()\\]|[()\x00-\x20\x7f]")
_LONGEST_LABEL = 999
_DEEPEST_PARENTHESES = 32
_GAP = re.compile(r"[ \t]*+(?:\n[ \t]*+)?+")
_LINE_END = re.compile(r"[ \t]*+(?:\n|$)")


def normalised(label: str) -> str:
    """Return the form in which labels are compared, "" for what is no label."""
    return " ".join(label.split()).casefold() if len(label) <= _LONGEST_LABEL else ""


def destination_end(text: str, start: int) -> int:
    """Return where the link destination that starts at a position ends, -1 if there is none; it may be empty.

    Like the reference implementation, no more than 32 parentheses are nested: this keeps
    the time linear.
    """
    if text.startswith("<", start):
        angles = _ANGLES.match(text, start)
        return angles.end() if angles else -1
    depth = 0
    for found in _BARE_MARK.finditer(text, start):
        mark = found[0]
        if mark == "(":
            depth += 1
            if depth > _DEEPEST_PARENTHESES:
                return -1
        elif mark == ")" and depth:
            depth -= 1
        elif mark[0] != "\\":
            return -1 if depth else found.start()
    return -1 if depth else len(text)


def leading_definitions(lines: list[str]) -> tuple[int, list[str]]:
    """Find the link reference definitions that a paragraph starts with.

    Parameters
    ----------
    lines : list of str
        The lines of the paragraph without their indentation.

    Returns
    -------
    tuple of int, list of str
        The number of lines that the definitions take, and their normalised labels.
    """
    text = "\n".join(lines)
    labels: list[str] = []
    if "]:" not in text:
        return 0, labels
    position = 0
    while position < len(text):
        found = _definition(text, position)
        if found is None:
            break
        label, position = found
        labels.append(label)
    return (text.count("\n", 0, position) if position < len(text) else len(lines)), labels


def _definition(text: str, start: int) -> tuple[str, int] | None:
    """Return the label and the end (after the line's end) of a definition, None if there is none."""
    bracket = LABEL.match(text, start)
    if bracket is None or not text.startswith(":", bracket.end()):
        return None
    label = normalised(bracket[1])
    gap = _GAP.match(text, bracket.end() + 1)
    if not label or gap is None:
        return None
    target = destination_end(text, gap.end())
    end = _after_title(text, target) if target > gap.end() else -1
    return (label, end) if end >= 0 else None


def _after_title(text: str, position: int) -> int:
    """Return the end of the definition whose destination ends at a position, -1 if something else follows."""
    gap = _GAP.match(text, position)
    title = TITLE.match(text, gap.end()) if gap and gap.end() > position else None
    end = _LINE_END.match(text, title.end()) if title else None
    if end is None:
        end = _LINE_END.match(text, position)
    return end.end() if end else -1
