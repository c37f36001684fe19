"""The reader of Jupyter notebooks: Markdown and code cells, without what the code printed."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ragtrial.documents.markdown.reader import Dialect, read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind
from ragtrial.documents.places import Places
from ragtrial.errors import DataError

__all__ = ["read_notebook"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCES = re.compile(r"`{3,}")
_DATA = re.compile(r"\(data:[^\s()]*+\)|(?<=[\"'])data:[^\s\"']*+(?=[\"'])")


def read_notebook(
    text: str,
    id: str = "document",  # noqa: A002  # the model's own word
    *,
    dialect: Dialect = "commonmark",
    source: Path | None = None,
) -> Document:
    """Read a notebook (nbformat 3 or 4).

    The cells become one Markdown text, separated by a blank line: Markdown cells as they are, with pictures that are
    inside the file taken out of them; code cells in a fence; heading cells of format 3 with ``#``. Each cell is read
    alone, so a fence that one of them does not close ends with it. Raw cells, outputs and empty cells are dropped.

    Parameters
    ----------
    text : str
        The JSON of the notebook.
    id : str
        The document's id.
    dialect : {"commonmark", "study"}
        How the Markdown is read.
    source : Path, optional
        The file that the text was read from.

    Returns
    -------
    Document
        Its places are the numbers of the cells, all kinds counted. Its ``meta`` has ``language`` and ``dropped``.

    Raises
    ------
    DataError
        It is no notebook; the message is the reason only.
    """
    cells, language = _cells(text)
    parts: list[str] = []
    blocks: list[Block] = []
    starts: list[int] = []
    numbers: list[int] = []
    dropped: Counter[str] = Counter()
    length = 0
    for number, cell in enumerate(cells, 1):
        written = _cell_text(cell, language, dropped)
        if not written.strip():
            continue
        if parts:
            parts.append("\n\n")
            length += 2
        starts.append(length)
        numbers.append(number)
        for block in read_markdown(written, dialect=dialect).blocks:
            # Front matter there is only at the start of a file.
            kind = Kind.PARAGRAPH if block.kind is Kind.FRONT_MATTER and parts else block.kind
            blocks.append(block._replace(kind=kind, start=block.start + length, end=block.end + length))
        parts.append(written)
        length += len(written)
    meta: dict[str, object] = {"language": language} if language else {}
    if dropped:
        meta["dropped"] = MappingProxyType(dict(sorted(dropped.items())))
    document = Document(id, "".join(parts), tuple(blocks), meta=MappingProxyType(meta), source=source, dialect=dialect)
    return replace(document, places=Places("cell", (0, *starts[1:]), tuple(numbers) or (1,)))


def _cells(text: str) -> tuple[list[dict[str, Any]], str]:
    try:
        content = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"it is no notebook: it is not JSON ({error})") from error
    if not isinstance(content, dict):
        raise DataError("it is no notebook: it is not a JSON object")
    sheets = content.get("worksheets")
    found = content.get("cells")
    if found is None and isinstance(sheets, list):
        found = [cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or ()]
    if not isinstance(found, list) or not all(isinstance(cell, dict) for cell in found):
        raise DataError("it is no notebook: it has no list of cells")
    meta = content.get("metadata")
    info = meta.get("language_info") or meta.get("kernelspec") if isinstance(meta, dict) else None
    language = (info.get("language") or info.get("name")) if isinstance(info, dict) else None
    return found, language if isinstance(language, str) and re.fullmatch(r"[\w+#.-]{1,40}", language) else ""


def _cell_text(cell: dict[str, Any], language: str, dropped: Counter[str]) -> str:
    kind = cell.get("cell_type")
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n").replace("\r", "\n")
    text = _SURROGATE.sub("\ufffd", text.strip("\n").rstrip())
    outputs = cell.get("outputs")
    if isinstance(outputs, list) and outputs:
        dropped["output"] += len(outputs)
    if kind == "code":
        fence = "`" * (max((len(run) for run in _FENCES.findall(text)), default=2) + 1)
        return f"{fence}{language}\n{text}\n{fence}" if text.strip() else ""
    if kind == "markdown":
        text, pictures = _DATA.subn(lambda found: "()" if found[0][0] == "(" else "", text)
        if pictures:
            dropped["picture in the file"] += pictures
        return text
    if kind == "heading":
        level = cell.get("level")
        return f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 1)} {' '.join(text.split())}"
    if text.strip():
        dropped[f"{kind} cell"[:60]] += 1
    return ""
