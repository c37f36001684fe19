"""The record's tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtrial.report.tables import Table, doubts, left_out, record_tables
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_record"]

WRAPPED = frozenset({"contrast", "spec", "under", "verdict"})
"""Columns of words, which may take more lines; numbers stay whole."""


def print_record(record: Record, console: Console) -> None:
    """Print the arms, contrasts and budget curves of a record, and what was left out."""
    if record.header["title"]:
        console.print(record.header["title"], style="bold", markup=False)
    for table in record_tables(record):
        _print_table(table, console)
    for line in [*doubts(record), *left_out(record)]:
        console.print(line, markup=False, highlight=False)
    console.print(f"Record: {record.folder}", markup=False, highlight=False, soft_wrap=True)


def _print_table(table: Table, console: Console) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    unicode = (console.encoding or "").lower().startswith("utf")
    grid = RichTable(
        title=table.title, title_justify="left", box=box.SIMPLE_HEAD if unicode else box.ASCII, pad_edge=False
    )
    for column in table.columns:
        grid.add_column(column, no_wrap=column not in WRAPPED, overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    console.print(grid)
    if table.note:
        console.print(table.note, markup=False, highlight=False)
