"""The reader of one file: its encoding, its line ends, and the reader for its kind of text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ragtrial.documents.encoding import decode
from ragtrial.documents.markdown.reader import Dialect, read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError

__all__ = ["EXTENSIONS", "line_ends", "os_reason", "read_file"]

EXTENSIONS = (".markdown", ".md", ".mdx", ".txt")
"""The file names that are read end with one of these, in any case of letters."""

_LINE_END = re.compile(r"\r\n?|\n")
_NAMES = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}


def read_file(
    path: str | Path,
    *,
    id: str | None = None,  # noqa: A002  # the model's own word
    dialect: Dialect = "commonmark",
    encoding: str | None = None,
) -> Document:
    """Read one Markdown or plain-text file.

    Parameters
    ----------
    path : path
        A file whose name ends with one of `EXTENSIONS`; ``.txt`` is plain text.
    id : str, optional
        The document's id; the file's name if not given.
    dialect : {"commonmark", "study"}
        How Markdown is read.
    encoding : str, optional
        The encoding of a file without a byte order mark; found out if not given
        (see `ragtrial.documents.encoding`).

    Returns
    -------
    Document
        Its ``meta`` has ``encoding`` and ``newline`` ("lf", "crlf", "cr", "mixed" or
        "none") beside what the text itself says.

    Raises
    ------
    DataError
        The file is missing, cannot be opened, is not of a known kind, or is not text.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in EXTENSIONS:
        raise DataError(f"{path} is not a kind of file that is read.", hint=f"Known: {', '.join(EXTENSIONS)}.")
    try:
        text, used = decode(path.read_bytes(), encoding)
    except OSError as error:
        raise DataError(f"Cannot read {path}: {os_reason(error)}.") from error
    except DataError as error:
        raise DataError(f"Cannot read {path}: {error.message}.", hint=error.hint) from error
    name = path.name if id is None else id
    if kind == ".txt":
        document = read_text(text, id=name, source=path)
    else:
        document = read_markdown(text, id=name, dialect=dialect, source=path)
    meta = {**document.meta, "encoding": used, "newline": line_ends(text)}
    return replace(document, meta=MappingProxyType(meta))


def line_ends(text: str) -> str:
    """Return the kind of line end that a text uses: "lf", "crlf", "cr", "mixed" or "none"."""
    if "\r" not in text:
        return "lf" if "\n" in text else "none"
    kinds = {match.group() for match in _LINE_END.finditer(text)}
    return _NAMES[kinds.pop()] if len(kinds) == 1 else "mixed"


def os_reason(error: OSError) -> str:
    """Return the operating system's reason as a part of a sentence: "permission denied"."""
    return (error.strerror or str(error)).lower()
