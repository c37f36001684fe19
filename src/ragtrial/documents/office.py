"""The reader of PDF, Word and PowerPoint files, through the converters of markitdown.

A PDF is converted page by page and a presentation is cut at its slides, so that every offset leads to a page or slide;
Word has no pages before it is printed, so its places are the lines of the converted text. No network is used, no model
is asked, and of markitdown only these converters run: nothing guesses what kind a file is.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragtrial.documents.markdown.reader import read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind
from ragtrial.documents.places import Places, Unit
from ragtrial.documents.writer import Writer
from ragtrial.errors import DataError, MissingExtraError

if TYPE_CHECKING:
    from ragtrial.documents.parts import Block

__all__ = ["read_office"]

_LARGEST = 1_000_000_000
_SLIDE = re.compile(r"\s*<!-- Slide number: ([0-9]+) -->\n?")
_DATA = re.compile(r"\(data:[^()\s]*+\)")
_ODD = re.compile("[\ud800-\udfff\0]")
_BLANK_LINES = re.compile(r"\n[ \t\f]*\n")


def read_office(data: bytes, extension: str, id: str = "document", *, source: Path | None = None) -> Document:  # noqa: A002
    """Read a file.

    Parameters
    ----------
    data : bytes
        The whole file.
    extension : {".pdf", ".docx", ".pptx"}
        Its kind.
    id : str
        The document's id.
    source : Path, optional
        The file that the data were read from.

    Returns
    -------
    Document
        The headings of a PDF are the entries of its outline whose title stands as a line on their page; a PDF without
        an outline has none. Word and PowerPoint files become Markdown, without the pictures. Its ``meta`` has
        ``pages`` or ``slides``, and ``dropped``: pictures, and pages without text (a scan needs OCR, which is not
        done here).

    Raises
    ------
    MissingExtraError
        The library markitdown is not installed.
    DataError
        The file is damaged, protected by a password, or has no text at all; the message is the reason only.
    """
    try:
        import markitdown.converters  # noqa: F401  # a missing library shows here
    except ImportError as error:
        raise MissingExtraError(f"Reading {extension} needs the library markitdown.", extra="office") from error
    if extension == ".pdf":
        return _read_pdf(data, id, source)
    text = _ODD.sub("\ufffd", _convert(data, extension)).replace("\r\n", "\n").replace("\r", "\n")
    text, pictures = _DATA.subn("()", text)
    dropped = Counter({"picture": pictures} if pictures else {})
    if extension == ".docx":
        document = read_markdown(text.strip("\n"), id=id, source=source)
        return replace(document, meta=MappingProxyType({**document.meta, **_counted(dropped)}))
    return _read_slides(text, id, source, dropped)


def _counted(dropped: Counter[str]) -> dict[str, object]:
    return {"dropped": MappingProxyType(dict(sorted(dropped.items())))} if dropped else {}


def _convert(data: bytes, extension: str) -> str:
    """Return what markitdown makes of a file."""
    from markitdown import StreamInfo, converters

    _check_size(data, extension)
    names = {".docx": "DocxConverter", ".pdf": "PdfConverter", ".pptx": "PptxConverter"}
    converter = getattr(converters, names[extension])()
    try:
        result = converter.convert(io.BytesIO(data), StreamInfo(extension=extension))
    # Whatever a converter and the libraries below it raise on a damaged file, among them their own kinds of exception.
    except Exception as error:
        raise DataError(f"markitdown cannot convert it: {type(error).__name__}: {str(error).rstrip('.')}") from error
    return str(result.markdown)


def _check_size(data: bytes, extension: str) -> None:
    """Refuse a packed file, which Word and PowerPoint files are, that unpacks to more than it can sensibly hold."""
    if extension == ".pdf" or not zipfile.is_zipfile(io.BytesIO(data)):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        size = sum(member.file_size for member in packed.infolist())
    if size > _LARGEST:
        raise DataError(f"it unpacks to {size:,} bytes; no more than {_LARGEST:,} are read")


def _read_slides(text: str, id: str, source: Path | None, dropped: Counter[str]) -> Document:  # noqa: A002
    pieces = _SLIDE.split(text)
    parts: list[str] = []
    blocks: list[Block] = []
    starts: list[int] = []
    numbers: list[int] = []
    length = 0
    for number, written in zip(pieces[1::2], pieces[2::2], strict=True):
        slide = written.strip("\n").rstrip()
        if not slide.strip():
            dropped["slide without text"] += 1
            continue
        if parts:
            parts.append("\n\n")
            length += 2
        starts.append(length)
        numbers.append(int(number))
        for block in read_markdown(slide).blocks:
            kind = Kind.PARAGRAPH if block.kind is Kind.FRONT_MATTER else block.kind
            blocks.append(block._replace(kind=kind, start=block.start + length, end=block.end + length))
        parts.append(slide)
        length += len(slide)
    meta: dict[str, object] = {"slides": len(pieces) // 2, **_counted(dropped)}
    places = _places("slide", starts, numbers)
    document = Document(id, "".join(parts), tuple(blocks), meta=MappingProxyType(meta), source=source, places=places)
    return replace(document, dialect="commonmark")


def _places(unit: Unit, starts: list[int], numbers: list[int]) -> Places:
    return Places(unit, (0, *starts[1:]), tuple(numbers) or (1,))


def _read_pdf(data: bytes, id: str, source: Path | None) -> Document:  # noqa: A002
    writer = Writer("page")
    pages = 0
    for number, (page, titles) in enumerate(_pages(data), 1):
        pages = number
        writer.at = number
        text = _ODD.sub("\ufffd", _convert(page, ".pdf")).replace("\f", "\n\n")
        if not text.strip():
            writer.dropped["page without text"] += 1
        for paragraph in _BLANK_LINES.split(text):
            _write_paragraph(writer, paragraph, titles)
    if pages and writer.dropped["page without text"] == pages:
        raise DataError("no page of it has text", hint="A scan needs OCR first, which ragtrial does not do.")
    return writer.document(id, source=source, meta={"pages": pages})


def _write_paragraph(writer: Writer, paragraph: str, titles: list[tuple[str, int]]) -> None:
    """Write the lines of a paragraph; a line that is the next title of the page's outline entries is a heading."""
    writer.open(Kind.TABLE if paragraph.lstrip().startswith("|") else Kind.PARAGRAPH)
    for line in paragraph.split("\n"):
        words = " ".join(line.split())
        level = next((level for title, level in titles if title == words), 0)
        if level:
            titles.remove((words, level))
            writer.open(Kind.HEADING, level=level)
            writer.text(words)
            writer.close()
        elif words:
            writer.break_line()
            writer.text(words)
    writer.close()


def _pages(data: bytes) -> Iterator[tuple[bytes, list[tuple[str, int]]]]:
    """Yield each page as a PDF of its own, with the (title, level) of the outline entries that lead to it."""
    import pypdfium2

    try:
        whole = pypdfium2.PdfDocument(data)
        outline: dict[int, list[tuple[str, int]]] = {}
        for entry in whole.get_toc(max_depth=20):
            page, title = _entry(entry)
            if page is not None and title:
                outline.setdefault(page, []).append((title, entry.level + 1))
        for number in range(len(whole)):
            single = pypdfium2.PdfDocument.new()
            single.import_pages(whole, [number])
            written = io.BytesIO()
            single.save(written)
            yield written.getvalue(), outline.get(number, [])
    except (pypdfium2.PdfiumError, ValueError, RuntimeError) as error:
        raise DataError(f"it is no readable PDF: {str(error).rstrip('.')}") from error


def _entry(entry: Any) -> tuple[int | None, str]:
    target = entry.get_dest()
    return (target.get_index() if target is not None else None), " ".join((entry.get_title() or "").split())
