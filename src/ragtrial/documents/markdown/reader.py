"""Reads Markdown: text to a document, in two dialects."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Literal

from ragtrial.documents.markdown.commonmark import Scan, scan_commonmark
from ragtrial.documents.markdown.front_matter import read_front_matter
from ragtrial.documents.markdown.lines import split_lines
from ragtrial.documents.markdown.rules import atx_title
from ragtrial.documents.markdown.study import scan_study
from ragtrial.documents.markdown.titles import plain_title, split_attributes
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind
from ragtrial.errors import UsageError, did_you_mean

__all__ = ["DIALECTS", "Dialect", "read_markdown", "scan"]

Dialect = Literal["commonmark", "study"]

DIALECTS: tuple[Dialect, ...] = ("commonmark", "study")


def scan(text: str, dialect: Dialect = "commonmark", math: bool = True) -> list[Block]:
    """Find the blocks of a Markdown document.

    Parameters
    ----------
    text : str
        The document, with whatever byte order mark and line ends it has.
    dialect : {"commonmark", "study"}
        ``commonmark``: CommonMark 0.31 with GFM tables and front matter, titles as plain text.
        ``study``: METHODS section 2.1, titles as written.
    math : bool
        Whether ``$$ ... $$`` is one block; the study's dialect knows no math.

    Returns
    -------
    list of Block
        In order, without overlap, with only blank lines between them.

    Raises
    ------
    UsageError
        The dialect is unknown.
    """
    return _read(text, dialect, math=math)[0]


def read_markdown(
    text: str,
    id: str = "document",  # noqa: A002 - the field's own name
    *,
    dialect: Dialect = "commonmark",
    math: bool = True,
    source: Path | None = None,
) -> Document:
    """Read a Markdown document.

    Parameters
    ----------
    text : str
        The document. It becomes the document's text unchanged, so offsets are those of the file.
    id : str
        The document's id.
    dialect, math
        See `scan`.
    source : Path, optional
        The file that the text was read from.

    Returns
    -------
    Document
        Its ``meta`` holds what front matter says, or ``front_matter_error``, a sentence, where that
        cannot be read; and, where headings carry ids (``{#id}``), ``heading_ids``, a
        mapping of the start of the heading to its id.

    Raises
    ------
    UsageError
        The dialect is unknown.
    """
    blocks, ids = _read(text, dialect, math=math)
    meta: dict[str, object] = {}
    if blocks and blocks[0].kind is Kind.FRONT_MATTER:
        lines = split_lines(text[blocks[0].start : blocks[0].end]).lines
        meta.update(read_front_matter("\n".join(lines).lstrip("\ufeff")))
    if ids:
        meta["heading_ids"] = MappingProxyType(ids)
    return Document(id, text, tuple(blocks), meta=MappingProxyType(meta), source=source, dialect=dialect)


def _read(text: str, dialect: Dialect, *, math: bool) -> tuple[list[Block], dict[int, str]]:
    """Return the blocks, and the ids of headings by their start."""
    if dialect == "study":
        return scan_study(text), {}
    if dialect == "commonmark":
        result = scan_commonmark(text, math=math)
        ids = _resolve_titles(result)
        return result.found.blocks, ids
    raise UsageError(f"There is no Markdown dialect {dialect!r}.", hint=did_you_mean(str(dialect), DIALECTS))


def _resolve_titles(result: Scan) -> dict[int, str]:
    """Put plain titles where the scanner left the content of headings as written, and return their ids."""
    ids: dict[int, str] = {}
    blocks = result.found.blocks
    for place in result.found.headings:
        kind, start, end, level, written = blocks[place]
        content = written
        if written.endswith("}"):
            content, name = split_attributes(written)
            if content != written:
                # Pandoc lets attributes follow the closing marks of an ATX heading.
                content = atx_title(content)
            if name:
                ids[start] = name
        title = plain_title(content, result.references)
        if title != written:
            blocks[place] = Block(kind, start, end, level, title)
    return ids
