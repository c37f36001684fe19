"""YAML and TOML front matter: a block at the very start of a document that holds data about it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

__all__ = ["ERROR_KEY", "front_matter_length", "read_front_matter"]

ERROR_KEY = "front_matter_error"
"""The key of a document's ``meta`` under which a fault of its front matter is told."""

_CLOSING = {"---": ("---", "..."), "+++": ("+++",)}
_LONGEST = 200_000


def front_matter_length(lines: list[str]) -> int:
    """Return the number of lines of the front matter that a document starts with, 0 if it has none.

    ``---`` opens YAML, which ``---`` or ``...`` closes, and ``+++`` opens and closes TOML, each
    on a line of its own without indentation. As in Pandoc, a blank line after the
    opening makes it a thematic break, and so does the lack of a closing line.
    """
    closing = _CLOSING.get(lines[0].rstrip(" \t"))
    if closing is None or len(lines) < 2 or not lines[1].strip(" \t"):
        return 0
    for number in range(1, len(lines)):
        if lines[number].rstrip(" \t") in closing:
            return number + 1
    return 0


def read_front_matter(block: str) -> dict[str, object]:
    """Parse front matter.

    Parameters
    ----------
    block : str
        The whole block with its opening and closing lines; they are joined by LF.

    Returns
    -------
    dict
        The data with its keys as strings; what cannot be read gives the single key
        ``front_matter_error`` with a sentence that says why.
    """
    opening, _, rest = block.partition("\n")
    body = rest.rpartition("\n")[0] + "\n"
    name, read = ("TOML", tomllib.loads) if opening.startswith("+") else ("YAML", _read_yaml)
    if len(body) > _LONGEST:
        return {ERROR_KEY: f"The front matter has {len(body)} characters; no more than {_LONGEST} are read."}
    try:
        data = read(body)
    # The loaders let the errors of the conversions they make (numbers, dates, tags) through.
    except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError, RecursionError) as error:
        return {ERROR_KEY: f"The front matter is not valid {name}: {_first_line(error)}."}
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        return {ERROR_KEY: f"The front matter is not a mapping of names to values but a {type(data).__name__}."}
    return {str(key): value for key, value in data.items()}


def _read_yaml(body: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads no aliases: with them a short text can stand for a huge structure."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise ValueError("it holds an alias (*name); write the value out instead")
            return super().compose_node(parent, index)

    try:
        return yaml.load(body, Loader)  # noqa: S506 - the loader is a safe one
    except yaml.YAMLError as error:
        raise ValueError(_yaml_fault(error)) from error


def _yaml_fault(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    # The opening line of the block is line 1 of the document.
    return f"{problem} (line {mark.line + 2})" if mark else problem


def _first_line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return (str(error) or type(error).__name__).partition("\n")[0].rstrip(".")
