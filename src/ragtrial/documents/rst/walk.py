"""From docutils' tree to the canonical text."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from ragtrial.documents.parts import Kind
from ragtrial.documents.rst.context import Context
from ragtrial.documents.writer import Writer

__all__ = ["Walk"]

_SILENT = (
    nodes.comment,
    nodes.substitution_definition,
    nodes.target,
    nodes.transition,
    nodes.colspec,
    nodes.docinfo,
    nodes.decoration,
    nodes.pending,
    nodes.raw,
    nodes.label,
)
_PARAGRAPHS = (
    nodes.paragraph,
    nodes.rubric,
    nodes.term,
    nodes.attribution,
    nodes.caption,
    nodes.subtitle,
    nodes.field_name,
    nodes.option_group,
    nodes.title,
)
_NEAR = 4


class Walk:
    """Reads the tree of one page into a writer."""

    def __init__(self, writer: Writer, page: nodes.document, lines: Sequence[str], context: Context) -> None:
        self._writer = writer
        self._page = page
        self._lines = lines
        self._dropped = context.dropped
        self._source = page.settings.ragtrial_source

    def read(self) -> None:
        """Read the page."""
        self._blocks(self._page, 0)

    def _blocks(self, node: nodes.Element, level: int, *, quoted: bool = False) -> None:
        for child in node.children:
            self._block(child, level, quoted=quoted)

    def _block(self, node: nodes.Node, level: int, *, quoted: bool) -> None:
        if isinstance(node, nodes.system_message):
            self._dropped["mark-up error"] += 1
            return
        self._anchors(node)
        if isinstance(node, _SILENT):
            return
        if isinstance(node, nodes.section):
            self._section(node, level + 1)
        elif isinstance(node, _PARAGRAPHS):
            self._paragraph(node, quoted=quoted)
        elif isinstance(node, nodes.line_block):
            self._writer.open(Kind.QUOTE if quoted else Kind.PARAGRAPH, prefix="> " if quoted else "")
            self._line_block(node)
            self._writer.close()
        elif isinstance(node, (nodes.literal_block, nodes.doctest_block)):
            self._literal(node)
        elif isinstance(node, nodes.math_block):
            self._place(node)
            self._writer.code(node.astext(), kind=Kind.MATH)
        elif isinstance(node, (nodes.bullet_list, nodes.enumerated_list)):
            self._writer.open(Kind.LIST)
            self._list(node, 0, level)
            self._writer.close()
        elif isinstance(node, nodes.table):
            self._table(node)
        elif isinstance(node, nodes.block_quote):
            self._blocks(node, level, quoted=True)
        elif isinstance(node, nodes.Element) and not isinstance(node, nodes.TextElement):
            self._blocks(node, level, quoted=quoted)
        else:
            self._paragraph(node, quoted=quoted)

    def _section(self, node: nodes.section, level: int) -> None:
        title = node.children[0] if node.children and isinstance(node.children[0], nodes.title) else None
        if title is not None:
            self._place(title)
            self._writer.open(Kind.HEADING, level=level)
            self._inline(title)
            self._writer.close()
        for child in node.children[0 if title is None else 1 :]:
            self._block(child, level, quoted=False)

    def _paragraph(self, node: nodes.Node, *, quoted: bool) -> None:
        self._place(node)
        self._writer.open(Kind.QUOTE if quoted else Kind.PARAGRAPH, prefix="> " if quoted else "")
        self._inline(node)
        self._writer.close()

    def _line_block(self, node: nodes.Element) -> None:
        for child in node.children:
            if isinstance(child, nodes.line_block):
                self._line_block(child)
            else:
                self._place(child)
                self._writer.break_line()
                self._inline(child)

    def _literal(self, node: nodes.Element) -> None:
        self._place(node)
        classes: list[str] = node.get("classes", [])
        language = next((name for name in classes if name != "code"), "")
        # The lines of a listing that was included are not those of this file.
        own = getattr(node, "source", None) in (None, self._source)
        text = node.astext()
        at = self._writer.at
        self._writer.code(text, language=language, first=at if own and self._stands(text, at) else None)

    def _stands(self, text: str, line: int) -> bool:
        first = text.lstrip("\n").split("\n")[0].strip()
        return 0 < line <= len(self._lines) and first in self._lines[line - 1]

    def _list(self, node: nodes.Element, depth: int, level: int) -> None:
        number = node.get("start", 1)
        for item in node.children:
            if not isinstance(item, nodes.Element):
                continue
            mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
            number += 1
            indent = "  " * depth
            self._anchors(item)
            self._writer.start_line(indent + mark, indent + " " * len(mark))
            for child in item.children:
                self._in_item(child, depth, level)
            self._writer.break_line()

    def _in_item(self, node: nodes.Node, depth: int, level: int) -> None:
        """Read a part of an item; a block that no list holds ends the list, and the item goes on in a new one."""
        if isinstance(node, (nodes.bullet_list, nodes.enumerated_list)):
            self._list(node, depth + 1, level)
        elif isinstance(node, nodes.paragraph):
            self._anchors(node)
            self._place(node)
            self._writer.break_line()
            self._inline(node)
        else:
            self._block(node, level, quoted=False)
            self._writer.open(Kind.LIST, prefix="  " * (depth + 1))

    def _table(self, table: nodes.table) -> None:
        for title in table.findall(nodes.title):
            self._paragraph(title, quoted=False)
        self._place(table)
        self._writer.open(Kind.TABLE)
        for row in table.findall(nodes.row):
            cells = [cell for cell in row.children if isinstance(cell, nodes.entry)]
            self._writer.start_line("| ", "| ")
            for number, cell in enumerate(cells):
                for part in cell.children:
                    if (getattr(part, "line", None) or 0) >= self._writer.at:
                        # Cells of tables that directives make count their lines from the table's.
                        self._place(part)
                    self._writer.text(" ")
                    self._inline(part)
                self._writer.text(" | " if number < len(cells) - 1 else " |")
            if isinstance(row.parent, nodes.thead) and row is row.parent.children[-1]:
                self._writer.start_line("| ", "| ")
                self._writer.text("--- | " * (len(cells) - 1) + "--- |")
        self._writer.close()

    def _inline(self, node: nodes.Node) -> None:
        if isinstance(node, nodes.Text):
            # A text itself still holds a mark, NUL, for each backslash of its source.
            self._writer.text(node.astext())
        elif isinstance(node, nodes.system_message):
            self._dropped["mark-up error"] += 1
        elif isinstance(node, nodes.reference):
            self._reference(node)
        elif isinstance(node, nodes.image):
            self._writer.text(node.get("alt", ""))
        elif isinstance(node, (nodes.footnote_reference, nodes.citation_reference)):
            self._dropped["footnote mark"] += 1
        elif isinstance(node, (nodes.raw, nodes.comment)):
            return
        elif isinstance(node, nodes.Element):
            self._anchors(node)
            for child in node.children:
                self._inline(child)
            if not isinstance(node, nodes.TextElement) or isinstance(node, nodes.paragraph):
                self._writer.text(" ")

    def _reference(self, node: nodes.reference) -> None:
        target = node.get("refuri") or (f"#{node['refid']}" if node.get("refid") else "")
        if target:
            self._writer.begin_link(target)
        if target.startswith("ref:") and not node.get("named", True):
            self._writer.text(self._title_of(target.removeprefix("ref:")) or node.astext())
        else:
            for child in node.children:
                self._inline(child)
        self._writer.end_link()

    def _title_of(self, label: str) -> str:
        """Return the title of the section that a label of this page stands before, "" if there is none."""
        place = self._page.nameids.get(nodes.fully_normalize_name(label))
        found = self._page.ids.get(place) if place else None
        title = next(iter(found.findall(nodes.title)), None) if isinstance(found, nodes.section) else None
        return title.astext() if title is not None else ""

    def _anchors(self, node: nodes.Node) -> None:
        if isinstance(node, nodes.Element):
            names: list[str] = [*node.get("names", ()), *node.get("ids", ())]
            for name in dict.fromkeys(names):
                if not isinstance(node, nodes.problematic):
                    self._writer.anchor(name)

    def _place(self, node: nodes.Node) -> None:
        """Set the writer's line to that of a node; docutils' own is off by some lines for titles and in lists."""
        line = getattr(node, "line", None)
        if line is None or getattr(node, "source", None) not in (None, self._source):
            return
        written = (getattr(node, "rawsource", "") or node.astext()).strip().split("\n")[0].strip()
        for distance in (0, *(sign * step for step in range(1, _NEAR) for sign in (-1, 1))):
            number = line + distance
            if 0 < number <= len(self._lines) and written and written in self._lines[number - 1]:
                self._writer.at = number
                return
        self._writer.at = min(max(line, self._writer.at), len(self._lines))
