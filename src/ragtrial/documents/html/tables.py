"""Tables of a page: rows of cells, or a means of layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtrial.documents.html.content import boilerplate
from ragtrial.documents.html.lines import pieces
from ragtrial.documents.parts import Kind
from ragtrial.documents.writer import Writer

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["is_layout", "write_table"]

_INNER = "h1, h2, h3, h4, h5, h6, pre, table table, ul, ol, article, form"


def is_layout(table: LexborNode) -> bool:
    """Tell whether a table is layout: it says so, or a cell of it holds headings, code, lists or another table."""
    if (table.attributes.get("role") or "").lower() in ("presentation", "none"):
        return True
    return table.css_first(_INNER) is not None


def write_table(table: LexborNode, writer: Writer, line: int) -> int:
    """Write the rows of a table, a line each, its caption as a paragraph before it; return the last line read.

    Cells stand between bars; a cell that spans columns stands once; rows without text are left out. A line of
    dashes follows the first row if that has header cells only.
    """
    caption = table.css_first("caption")
    if caption is not None:
        writer.close()
        line = _write(caption.text(deep=True, separator=" "), writer, line)
    writer.open(Kind.TABLE)
    ruled = False
    for number, row in enumerate(table.css("tr")):
        cells = [cell for cell in _children(row) if cell.tag in ("td", "th") and not boilerplate("td", cell.attributes)]
        texts = [(cell.text(deep=True, separator=" ") or "") for cell in cells]
        if not any(text.strip() for text in texts):
            continue
        writer.start_line("| ", "| ")
        for place, text in enumerate(texts):
            line = _write(text.replace("|", "\\|"), writer, line)
            writer.text(" | " if place < len(texts) - 1 else " |")
        if number == 0 and not ruled and all(cell.tag == "th" for cell in cells):
            writer.start_line("| ", "| ")
            writer.text("--- | " * (len(cells) - 1) + "--- |")
            ruled = True
    writer.close()
    return line


def _children(node: LexborNode) -> list[LexborNode]:
    found = []
    child = node.child
    while child is not None:
        found.append(child)
        child = child.next
    return found


def _write(text: str, writer: Writer, line: int) -> int:
    for number, piece in pieces(text, line):
        line = writer.at = number
        writer.text(piece)
    return line
