"""Prompts as files: read, hashed, and filled in one pass, so that nothing in a document can be taken for a place."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from ragtrial.errors import DataError, UsageError, did_you_mean
from ragtrial.storage.canonical import canonical_json

__all__ = ["Prompt", "load_prompt", "prompt_names"]

_PLACE: Final = re.compile(r"\{\{([^{}]*)\}\}")
_KEYS: Final = ("version", "system", "user")
_SUFFIX: Final = ".toml"


@dataclass(frozen=True)
class Prompt:
    """The two messages of a call, with places such as ``{{chunk}}``; ``places`` are the names that it has."""

    name: str
    version: int
    system: str
    user: str
    places: frozenset[str]

    @property
    def sha256(self) -> str:
        """The hash of what is sent and its version, wherever the file lies."""
        what = canonical_json({"version": self.version, "system": self.system, "user": self.user})
        return hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()

    def identity(self) -> Mapping[str, Any]:
        """Return what stands in plans and records: the version and the hash."""
        return {"version": self.version, "sha256": self.sha256}

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Return the system and the user message with every place filled, in one pass over the prompt.

        Places in the values are text like any other. A value for every place must be there; one that no place asks for
        is left out.
        """

        def value(place: re.Match[str]) -> str:
            return values[place[1].strip()]

        return _PLACE.sub(value, self.system), _PLACE.sub(value, self.user)


def prompt_names() -> list[str]:
    """Return the names of the prompts that come with ragtrial."""
    entries = (entry.name for entry in _own().iterdir())
    return sorted(name.removesuffix(_SUFFIX) for name in entries if name.endswith(_SUFFIX))


def load_prompt(prompt: str | Path, places: Iterable[str], required: Iterable[str] = ()) -> Prompt:
    """Return a prompt of ragtrial's by its name, or one of the user's by the path of its file.

    The file is TOML: ``version`` (a whole number from 1), ``system`` and ``user``; ``{{name}}`` is a place, and single
    braces are text.

    Parameters
    ----------
    prompt : str or Path
        A name, or a path, which ends in ``.toml``.
    places : iterable of str
        The names that it may have places for.
    required : iterable of str
        Those that it must have.

    Raises
    ------
    UsageError
        There is no such prompt.
    DataError
        Its file cannot be read, has other keys, an unknown place, or lacks a required one.
    """
    name = str(prompt)
    return _checked(name, _read(name), frozenset(places), frozenset(required))


def _own() -> Any:  # importlib's Traversable is no stable type over Python versions
    return files("ragtrial.llm") / "prompts"


def _read(name: str) -> str:
    own = not name.endswith(_SUFFIX)
    if own and name not in prompt_names():
        raise UsageError(
            f"There is no prompt {name!r}.",
            hint=f"{did_you_mean(name, prompt_names())} One of your own is named by its path, which ends in .toml.",
        )
    place = _own() / f"{name}{_SUFFIX}" if own else Path(name).expanduser()
    try:
        text: str = place.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"Cannot read the prompt {name}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"The prompt {name} is not UTF-8: {error.reason} at byte {error.start}.") from error
    # A file that was checked out with other line ends is the same prompt.
    return text.replace("\r\n", "\n")


def _checked(name: str, text: str, places: frozenset[str], required: frozenset[str]) -> Prompt:
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"The prompt {name} is no TOML: {error}.") from error
    for key in read:
        if key not in _KEYS:
            raise DataError(f"The prompt {name} has the key {key!r}.", hint=did_you_mean(key, _KEYS))
    version, system, user = read.get("version"), read.get("system", ""), read.get("user")
    if type(version) is not int or version < 1:
        raise DataError(f"The prompt {name} needs a version.", hint="Write version = 1, and one more with each change.")
    if not isinstance(system, str) or not isinstance(user, str) or not user.strip():
        raise DataError(f"The prompt {name} needs user = '''...''', and may have system = '''...'''.")
    found = frozenset(place.strip() for message in (system, user) for place in _PLACE.findall(message))
    for place in sorted(found - places):
        raise DataError(
            f"The prompt {name} has the place {{{{{place}}}}}, which nothing fills.", hint=did_you_mean(place, places)
        )
    for place in sorted(required - found):
        raise DataError(f"The prompt {name} lacks the place {{{{{place}}}}}.")
    return Prompt(name, version, system, user, found)
