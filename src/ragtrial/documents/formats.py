"""The formats that are read, and which of them a file is in by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from ragtrial.errors import SpecError, did_you_mean

__all__ = ["EXTENSIONS", "Format", "ReadAs", "checked_read_as", "format_of"]

Format: TypeAlias = Literal["docx", "html", "markdown", "notebook", "pdf", "pptx", "rst", "text", "wikitext"]

ReadAs: TypeAlias = Mapping[str, Format]
"""Endings of names, such as ``.txt``, and the formats that files with them are in, whatever they are elsewhere."""

_FORMATS: Final[ReadAs] = MappingProxyType(
    {
        ".docx": "docx",
        ".htm": "html",
        ".html": "html",
        ".ipynb": "notebook",
        ".markdown": "markdown",
        ".md": "markdown",
        ".mdx": "markdown",
        ".mediawiki": "wikitext",
        ".pdf": "pdf",
        ".pptx": "pptx",
        ".rst": "rst",
        ".txt": "text",
        ".wiki": "wikitext",
        ".wikitext": "wikitext",
        ".xhtml": "html",
    }
)

EXTENSIONS: Final = tuple(_FORMATS)
"""The file names that are read end with one of these, in any case of letters, or with it and ``.gz``."""

_ENDING: Final = re.compile(r"\.[^./\\\s]+")
_OPENED: Final = (".gz", ".jsonl", ".tar", ".tgz", ".zip")
"""Files that hold others, or documents that are parsed already."""


def format_of(name: str, read_as: ReadAs) -> Format | None:
    """Return the format of a file by its name; None where its ending is none that is read."""
    ending = PurePosixPath(name.lower().removesuffix(".gz")).suffix
    return read_as.get(ending) or _FORMATS.get(ending)


def checked_read_as(read_as: Mapping[str, str]) -> dict[str, Format]:
    """Return endings and their formats, the endings in small letters; what is neither raises `SpecError`."""
    known: dict[str, Format] = {name: name for name in get_args(Format)}
    found: dict[str, Format] = {}
    for ending, name in read_as.items():
        if not _ENDING.fullmatch(ending):
            raise SpecError(f"{ending!r} is no ending of file names.", hint="Write it with its dot, such as '.txt'.")
        if ending.lower() in _OPENED:
            raise SpecError(f"A file that ends in {ending!r} is opened, and what is in it is read by its own name.")
        if name not in known:
            raise SpecError(f"There is no format {name!r} to read {ending!r} as.", hint=did_you_mean(name, known))
        if found.get(ending.lower(), name) != name:
            raise SpecError(f"Files that end in {ending.lower()!r} cannot be read as two formats.")
        found[ending.lower()] = known[name]
    return found
