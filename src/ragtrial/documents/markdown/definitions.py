"""Link reference definitions at the head of a paragraph (CommonMark 0.31, section 4.7)."""

from __future__ import annotations

import re

__all__ = ["DESTINATION", "LABEL", "TITLE", "balanced", "leading_definitions", "normalised"]

LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.DOTALL)
"""A link label; that it has at most 999 characters and not only blanks, `normalised` checks."""

DESTINATION = re.compile(r"<(?:[^<>\n\\]|\\.)*+>|(?!<)[^\x00-\x20\x7f]++")
"""A link destination, as far as a pattern can tell: parentheses are for `balanced`."""

TITLE = re.compile(
    r""" "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+' | \((?:[^()\\]|\\.)*+\) """,
    re.DOTALL | re.VERBOSE,
)

_LONGEST_LABEL = 999
_DEEPEST_PARENTHESES = 32
_PARENTHESIS = re.compile(r"\\.|[()]", re.DOTALL)
_GAP = re.compile(r"[ \t]*+(?:\n[ \t]*+)?+")
_LINE_END = re.compile(r"[ \t]*+(?:\n|$)")


def normalised(label: str) -> str:
    """Return the form in which labels are compared, "" for what is no label."""
    return " ".join(label.split()).casefold() if len(label) <= _LONGEST_LABEL else ""


def balanced(text: str, start: int, end: int) -> int:
    """Return where the bare link destination in ``text[start:end]`` ends, -1 if its parentheses do not pair up.

    Like the reference implementation, no more than 32 parentheses are nested: this keeps
    the time linear.
    """
    depth = 0
    for found in _PARENTHESIS.finditer(text, start, end):
        if found[0] == "(":
            depth += 1
            if depth > _DEEPEST_PARENTHESES:
                return -1
        elif found[0] == ")":
            depth -= 1
            if depth < 0:
                return found.start()
    return end if depth == 0 else -1


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
    target = DESTINATION.match(text, gap.end()) if gap else None
    if not label or target is None:
        return None
    if target[0][0] != "<" and balanced(text, target.start(), target.end()) != target.end():
        return None
    end = _after_title(text, target.end())
    return (label, end) if end >= 0 else None


def _after_title(text: str, position: int) -> int:
    """Return the end of the definition whose destination ends at a position, -1 if something else follows."""
    gap = _GAP.match(text, position)
    title = TITLE.match(text, gap.end()) if gap and gap.end() > position else None
    end = _LINE_END.match(text, title.end()) if title else None
    if end is None:
        end = _LINE_END.match(text, position)
    return end.end() if end else -1
