"""The record's tables for the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragtrial.report.tables import Table, doubts, left_out, record_tables
from ragtrial.trial.record import Record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["print_record"]

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

WRAPPED = frozenset({"contrast", "ladder", "means", "spec", "under", "verdict"})
"""Columns of words, which may take more lines; numbers stay whole."""


def print_record(record: Record, console: Console) -> None:
    """Print the arms, contrasts and budget curves of a record, and what was left out."""
    if record.header["title"]:
        _print_line(record.header["title"], console)
    for table in record_tables(record):
        _print_table(table, console)
    for line in [*doubts(record), *left_out(record), f"Record: {record.folder}"]:
        _print_line(line, console)


def _print_line(line: str, console: Console) -> None:
    # Unbroken, so that a path can be copied.
    console.print(_text(line), soft_wrap=True)


def _print_table(table: Table, console: Console) -> None:
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


def _text(words: str) -> Text:
    """Return words as they are, without mark-up, and with nothing in them that could steer the terminal."""
    from rich.text import Text

    return Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", words))
