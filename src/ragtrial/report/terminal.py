"""Tables for the terminal: drawn where one is, tab-separated where the output goes into a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragtrial.report.sentences import answer
from ragtrial.report.tables import Table, doubts, left_out, record_tables
from ragtrial.report.words import clean
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["print_record", "print_table", "print_tables"]

WRAPPED = frozenset(
    {
        *("chunk", "contrast", "document", "difference from the first", "first chunks", "found", "ladder", "means"),
        *("record", "spec", "text", "under", "verdict"),
    }
)
"""Columns of words, which may take more lines; numbers stay whole."""

WIDE = 120
"""From how many characters on a budget curve has room for its intervals."""


def print_record(record: Record, console: Console) -> None:
    """Print the answer, the arms, contrasts and budget curves of a record, and what was left out."""
    if record.header["title"]:
        _print_line(record.header["title"], console)
    for sentence in answer(record):
        # Broken at the terminal's width; in a pipe a sentence is a line.
        console.print(_text(sentence), soft_wrap=not console.is_terminal)
    narrow = console.is_terminal and console.width < WIDE
    lines = [*doubts(record), *left_out(record), f"Record: {record.folder}"]
    print_tables(record_tables(record, narrow=narrow), lines, console)


def print_tables(tables: Iterable[Table], lines: Iterable[str], console: Console) -> None:
    """Print tables, and sentences below them."""
    for table in tables:
        print_table(table, console)
    for line in lines:
        _print_line(line, console)


def _print_line(line: str, console: Console) -> None:
    # Unbroken, so that a path can be copied.
    console.print(_text(line), soft_wrap=True)


def print_table(table: Table, console: Console) -> None:
    """Print one table: as a drawing on a terminal, else as lines of cells with tabs between them."""
    if not console.is_terminal:
        _print_lines(table, console)
        return
    from rich import box
    from rich.table import Table as RichTable

    unicode = (console.encoding or "").lower().startswith("utf")
    style = box.SIMPLE_HEAD if unicode else box.ASCII
    console.print(_text(table.title), style="bold")
    grid = RichTable(box=style, pad_edge=False)
    for column in table.columns:
        grid.add_column(_text(column), no_wrap=column not in WRAPPED, overflow="fold")
    for row in table.rows:
        grid.add_row(*map(_text, row))
    console.print(grid)
    if table.note:
        console.print(_text(table.note))


def _print_lines(table: Table, console: Console) -> None:
    # Not through the console, which would turn tabs into blanks.
    words = [": " if column in WRAPPED else " " for column in table.columns]
    rows = (_line(row, words) for row in (table.columns, *table.rows))
    for line in (table.title, *rows, table.note, ""):
        console.file.write(f"{clean(line)}\n")


def _line(cells: Sequence[str], between: Sequence[str]) -> str:
    """Return cells with tabs between them; the lines of one stand behind each other."""
    flat = (joiner.join(cell.split("\n")) for cell, joiner in zip(cells, between, strict=True))
    return "\t".join(" ".join(cell.split()) for cell in flat)


def _text(words: str) -> Text:
    """Return words as they are, without mark-up, and with nothing in them that could steer the terminal."""
    from rich.text import Text

    return Text(clean(words).replace("\t", " "))
