"""The reader of one file: its encoding, its line ends, and the reader for its kind of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ragtrial.documents.archive import unpack
from ragtrial.documents.encoding import decode
from ragtrial.documents.formats import EXTENSIONS, Format, ReadAs, checked_read_as, format_of
from ragtrial.documents.html.reader import declared_encoding, read_html
from ragtrial.documents.markdown.reader import Dialect, read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.notebook import read_notebook
from ragtrial.documents.office import read_office
from ragtrial.documents.plain import read_text
from ragtrial.documents.rst.reader import read_rst
from ragtrial.documents.wikitext.reader import read_wikitext
from ragtrial.errors import DataError, UsageError

__all__ = ["MAX_BYTES", "line_ends", "os_reason", "read_data", "read_file"]

MAX_BYTES = 100_000_000
"""A larger file is not read unless more is allowed."""

_OFFICE = ("docx", "pdf", "pptx")
_LINE_END = re.compile(r"\r\n?|\n")
_NAMES = {"\n": "lf", "\r\n": "crlf", "\r": "cr"}


@dataclass(frozen=True)
class _Source:
    """A file's text, and what its reader may need besides."""

    text: str
    id: str
    path: Path
    root: Path | None
    dialect: Dialect


_READERS: Final[Mapping[Format, Callable[[_Source], Document]]] = {
    "html": lambda s: read_html(s.text, s.id, source=s.path),
    "markdown": lambda s: read_markdown(s.text, s.id, dialect=s.dialect, source=s.path),
    "notebook": lambda s: read_notebook(s.text, s.id, dialect=s.dialect, source=s.path),
    "rst": lambda s: read_rst(s.text, s.id, source=s.path, root=s.root),
    "text": lambda s: read_text(s.text, id=s.id, source=s.path),
    "wikitext": lambda s: read_wikitext(s.text, s.id, source=s.path),
}

_NOTHING: Final[ReadAs] = MappingProxyType({})


def read_file(
    path: str | Path,
    *,
    id: str | None = None,  # noqa: A002  # the model's own word
    dialect: Dialect = "commonmark",
    encoding: str | None = None,
    root: str | Path | None = None,
    max_bytes: int = MAX_BYTES,
    read_as: Mapping[str, str] = _NOTHING,
) -> Document:
    """Read one file.

    Parameters
    ----------
    path : path
        A file whose name ends with one of `ragtrial.documents.formats.EXTENSIONS`: Markdown; ``.txt``, plain text;
        HTML; reStructuredText; MediaWiki wikitext; a Jupyter notebook; PDF, Word or PowerPoint. ``.gz`` behind it
        is unpacked.
    id : str, optional
        The document's id; the file's name if not given.
    dialect : {"commonmark", "study"}
        How Markdown is read.
    encoding : str, optional
        The encoding of a file without a byte order mark; found out if not given
        (see `ragtrial.documents.encoding`; a page of HTML that is not UTF-8 may declare it).
    root : path, optional
        The folder of the documentation, from which alone reStructuredText may include files; that of the file if
        not given.
    max_bytes : int
        A file that is larger, or unpacks to more, is not read.
    read_as : mapping of str to str
        Endings of names, and the formats that files with them are in: ``{".txt": "rst"}``. Formats are "docx", "html",
        "markdown", "notebook", "pdf", "pptx", "rst", "text" and "wikitext".

    Returns
    -------
    Document
        The ``meta`` of a text file has ``encoding`` and ``newline`` ("lf", "crlf", "cr", "mixed" or
        "none") beside what the text itself says.

    Raises
    ------
    DataError
        The file is missing, too large, cannot be opened, is not of a known kind, or is damaged.
    MissingExtraError
        The library for its kind is not installed.
    SpecError
        ``read_as`` names what is no ending or no format.
    """
    path, formats = Path(path), checked_read_as(read_as)
    _checked_format(path, formats)
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise DataError(f"it has {size:,} bytes", hint=f"No more than max_bytes = {max_bytes:,} are read.")
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"Cannot read {path}: {os_reason(error)}.") from error
    except DataError as error:
        raise DataError(f"Cannot read {path}: {error.message}.", hint=error.hint) from error
    return read_data(
        data,
        path,
        id=path.name if id is None else id,
        dialect=dialect,
        encoding=encoding,
        root=None if root is None else Path(root),
        max_bytes=max_bytes,
        read_as=formats,
    )


def read_data(
    data: bytes,
    path: Path,
    *,
    id: str,  # noqa: A002  # the model's own word
    dialect: Dialect = "commonmark",
    encoding: str | None = None,
    root: Path | None = None,
    max_bytes: int = MAX_BYTES,
    read_as: ReadAs = _NOTHING,
) -> Document:
    """Read the bytes of a file, which need not be on disk: ``path`` tells its kind and its place; see `read_file`."""
    kind = _checked_format(path, read_as)
    try:
        if path.name.lower().endswith(".gz"):
            data = unpack(data, max_bytes)
        if kind in _OFFICE:
            return read_office(data, f".{kind}", id, source=path)
        text, used = _decode(data, kind, encoding)
        document = _READERS[kind](_Source(text, id, path, root, dialect))
    except DataError as error:
        raise DataError(f"Cannot read {path}: {error.message}.", hint=error.hint) from error
    meta = {**document.meta, "encoding": used, "newline": line_ends(text)}
    return replace(document, meta=MappingProxyType(meta))


def _checked_format(path: Path, read_as: ReadAs) -> Format:
    found = format_of(path.name, read_as)
    if found is None:
        known = ", ".join((*EXTENSIONS, *read_as))
        raise DataError(f"{path} is not a kind of file that is read.", hint=f"Known: {known}.")
    return found


def _decode(data: bytes, kind: Format, encoding: str | None) -> tuple[str, str]:
    if kind != "html" or encoding is not None:
        return decode(data, encoding)
    declared = declared_encoding(data)
    if declared is None:
        return decode(data)
    try:
        return decode(data) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else (data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        try:
            return decode(data, declared)
        except UsageError:
            return decode(data)


def line_ends(text: str) -> str:
    """Return the kind of line end that a text uses: "lf", "crlf", "cr", "mixed" or "none"."""
    if "\r" not in text:
        return "lf" if "\n" in text else "none"
    kinds = {match.group() for match in _LINE_END.finditer(text)}
    return _NAMES[kinds.pop()] if len(kinds) == 1 else "mixed"


def os_reason(error: OSError) -> str:
    """Return the operating system's reason as a part of a sentence: "permission denied"."""
    return (error.strerror or str(error)).lower()
