"""Reads reStructuredText."""

from __future__ import annotations

import re
from pathlib import Path

from ragtrial.documents.model import Document
from ragtrial.documents.rst.context import Context
from ragtrial.documents.writer import Writer
from ragtrial.errors import DataError, MissingExtraError

__all__ = ["read_rst"]

_LONGEST_LINE = 10_000
_LONGEST_PARAGRAPH = 20_000
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_ODD = re.compile("[\ud800-\udfff\0]")


def read_rst(
    text: str,
    id: str = "document",  # noqa: A002  # the model's own word
    *,
    source: Path | None = None,
    root: Path | None = None,
) -> Document:
    """Read a page.

    Parameters
    ----------
    text : str
        The page as it is in its file.
    id : str
        The document's id.
    source : Path, optional
        The file that the text was read from; without it nothing is included.
    root : Path, optional
        The folder of the documentation, outside of which no file is included; that of the file if not given.

    Returns
    -------
    Document
        Its text is in the canonical form of `ragtrial.documents.writer`; its places are the lines of the file, and of
        what is included that of the directive. Its ``meta`` has ``links`` (targets are addresses, ``ref:label``,
        ``doc:page`` or ``#name``), ``anchors`` (labels and names), ``toctree`` and ``dropped``.

    Raises
    ------
    MissingExtraError
        The library docutils is not installed.
    DataError
        A line has more than 10,000 characters or a paragraph more than 20,000, for which docutils needs time that
        grows with their square, the nesting is too deep, or docutils fails.
    """
    try:
        from ragtrial.documents.rst.parsing import parse
        from ragtrial.documents.rst.walk import Walk
    except ImportError as error:
        raise MissingExtraError("Reading reStructuredText needs the library docutils.", extra="rst") from error
    clean = _ODD.sub("\ufffd", text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    _check(clean)
    context = Context(source, root or (source.parent if source is not None else None))
    writer = Writer()
    try:
        page = parse(clean, context, str(source) if source is not None else id)
        Walk(writer, page, clean.split("\n"), context).read()
    except RecursionError as error:
        raise DataError("it nests too deeply") from error
    writer.dropped.update(context.dropped)
    meta: dict[str, object] = {"toctree": tuple(context.toctree)} if context.toctree else {}
    return writer.document(id, source=source, meta=meta)


def _check(text: str) -> None:
    longest = max(map(len, text.split("\n")))
    if longest > _LONGEST_LINE:
        raise DataError(f"a line of it has {longest:,} characters, and docutils reads no more than {_LONGEST_LINE:,}")
    paragraph = max(map(len, _BLANK_LINES.split(text)))
    if paragraph > _LONGEST_PARAGRAPH:
        raise DataError(f"a paragraph of it has {paragraph:,} characters; no more than {_LONGEST_PARAGRAPH:,} are read")
