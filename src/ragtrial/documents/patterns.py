"""Patterns for paths below a folder, in the manner of ``.gitignore``.

``*`` and ``?`` stay inside one name, ``**`` spans folders, ``[a-z]`` and ``[!a-z]``
are sets, a backslash takes the next character as it is. A pattern with a slash is
anchored at the folder, one without matches at any depth; a pattern that matches a
folder matches everything below it, and a slash at the end asks for a folder. Upper
and lower case differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragtrial.errors import UsageError

__all__ = ["compile_patterns"]

_TOKEN = re.compile(
    r"""\\(?P<plain>.)
    | \[(?P<negated>!?)(?P<set>\]?[^\]]+|\])\]
    | (?P<star>\*+)
    | (?P<any>\?)
    | (?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)


def compile_patterns(patterns: Iterable[str], *, hidden: bool) -> re.Pattern[str]:
    """Return an expression whose ``fullmatch`` tests a path, written with ``/``, below the folder.

    Parameters
    ----------
    patterns : iterable of str
        A path matches if one of them does; without any, none does.
    hidden : bool
        Whether wildcards match names that start with a dot. If not, a pattern must
        write the dot out, as in a shell.

    Raises
    ------
    UsageError
        A pattern is empty or has a set that cannot be read.
    """
    expressions = []
    for pattern in patterns:
        expression = _expression(pattern, hidden=hidden)
        try:
            re.compile(expression)
        except re.error as error:
            raise UsageError(f"Cannot read the pattern {pattern!r}: {error.msg}.") from error
        expressions.append(expression)
    return re.compile("|".join(expressions) or r"(?!)")


def _expression(pattern: str, *, hidden: bool) -> str:
    segments = pattern.removeprefix("./").strip("/").split("/")
    if not segments[0]:
        raise UsageError(f"The pattern {pattern!r} is empty.", hint="Write for example 'guide/**' or '*.txt'.")
    name = "[^/]+" if hidden else r"(?!\.)[^/]+"
    anchored = "/" in pattern.removeprefix("./").rstrip("/")
    parts = [] if anchored else [f"(?:{name}/)*"]
    parts += [f"(?:{name}/)*" if part == "**" else _segment(part, hidden=hidden) + "/" for part in segments[:-1]]
    parts.append(name if segments[-1] == "**" else _segment(segments[-1], hidden=hidden))
    below = "+" if pattern.endswith("/") else "*"
    return f"{''.join(parts)}(?:/{name}){below}"


def _segment(segment: str, *, hidden: bool) -> str:
    parts = [] if hidden or segment[0] not in "*?[" else [r"(?!\.)"]
    for token in _TOKEN.finditer(segment):
        if token["star"]:
            parts.append("[^/]*")
        elif token["any"]:
            parts.append("[^/]")
        elif token["set"]:
            members = token["set"].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            parts.append(f"(?!/)[{'^' if token['negated'] else ''}{members}]")
        else:
            parts.append(re.escape(token["plain"] or token["other"]))
    return "".join(parts)
