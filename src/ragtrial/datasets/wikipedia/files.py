"""Articles with their wikitext: from JSON lines, from a dump's XML, or from a folder of files."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.etree import ElementTree as ET

from ragtrial.errors import DataError

__all__ = ["Article", "read_articles"]

_LINES = (".jsonl", ".jsonl.gz")
_DUMPS = (".xml", ".xml.bz2", ".xml.gz")
_PAGES = (".mediawiki", ".wiki", ".wikitext")
_MORE_THAN_XML = b"<!DOCTYPE"


class Article(NamedTuple):
    """An article as it was read: its title, its wikitext, and the file."""

    title: str
    wikitext: str
    source: Path


def read_articles(path: Path) -> Iterator[Article]:
    """Yield the articles of a file or of all files of a folder, which are taken in the order of their names.

    Parameters
    ----------
    path : Path
        JSON lines (``.jsonl``, ``.jsonl.gz``) with ``title`` and ``wikitext`` (or ``text``); an export of MediaWiki
        (``.xml``, ``.xml.bz2``, ``.xml.gz``), of which pages outside the article space and redirects are left out;
        files of wikitext (``.wikitext``, ``.wiki``, ``.mediawiki``), whose names are the titles; or a folder of them.

    Raises
    ------
    DataError
        Nothing is found, or a file is damaged or of another layout.
    """
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.lower().endswith((*_LINES, *_DUMPS, *_PAGES)))
    if not files or not files[0].is_file():
        raise DataError(f"There are no Wikipedia articles in {path}.", hint=f"Known: {', '.join((*_LINES, *_DUMPS))}.")
    for file in files:
        name = file.name.lower()
        try:
            if name.endswith(_LINES):
                yield from _from_lines(file)
            elif name.endswith(_DUMPS):
                yield from _from_dump(file)
            else:
                yield Article(file.stem.replace("_", " "), file.read_text(encoding="utf-8"), file)
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise DataError(f"Cannot read {file}: {error}.") from error


def _opened(file: Path) -> IO[bytes]:
    if file.suffix == ".gz":
        return gzip.open(file, "rb")  # type: ignore[return-value]
    return bz2.open(file, "rb") if file.suffix == ".bz2" else file.open("rb")


def _from_lines(file: Path) -> Iterator[Article]:
    with _opened(file) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row: Any = json.loads(line)
            except ValueError as error:
                raise DataError(f"{file}:{number} is not JSON: {error}.") from error
            text = row.get("wikitext", row.get("text")) if isinstance(row, dict) else None
            if not isinstance(text, str) or not isinstance(row.get("title"), str):
                raise DataError(f"{file}:{number} is no article.", hint='It needs "title" and "wikitext".')
            yield Article(row["title"], text, file)


def _from_dump(file: Path) -> Iterator[Article]:
    """Yield the pages of an export one by one; a document type, which could define entities, is refused."""
    with _opened(file) as xml:
        if _MORE_THAN_XML in xml.read(4096).upper():
            raise DataError(f"{file} has a document type, which an export of MediaWiki has not.")
    page: dict[str, str] = {}
    root: ET.Element | None = None
    try:
        with _opened(file) as xml:
            for event, element in ET.iterparse(xml, events=("start", "end")):  # noqa: S314  # refused above
                root = element if root is None else root
                tag = element.tag.rpartition("}")[2]
                if event == "start":
                    page = {} if tag == "page" else page
                elif tag in ("title", "ns", "text"):
                    page[tag] = element.text or ""
                elif tag == "redirect":
                    page["redirect"] = "yes"
                elif tag == "page":
                    if page.get("ns", "0") == "0" and "redirect" not in page and "text" in page:
                        yield Article(page.get("title", ""), page["text"], file)
                    root.clear()  # or the pages that were read would pile up in it
    except ET.ParseError as error:
        raise DataError(f"{file} is damaged: {error}.") from error
