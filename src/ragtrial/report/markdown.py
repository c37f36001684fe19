"""The record as a Markdown file."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ragtrial.report.tables import Table, doubts, grid_table, left_out, record_tables
from ragtrial.trial.record import Record, write_whole

__all__ = ["render_markdown", "write_markdown"]


_MARKS = re.compile(r"[\\`*_\[\]<>#~&|$]")


def write_markdown(record: Record) -> Path:
    """Write ``report.md`` into the record's folder and return its path."""
    path = record.folder / "report.md"
    write_whole(path, render_markdown(record).encode("utf-8", "replace"))
    return path


def render_markdown(record: Record) -> str:
    """Return the report as Markdown: the tables, what was left out, and what the trial was."""
    parts = [f"# {_escape(record.header['title'] or 'Trial')}"]
    parts += [_table(table) for table in record_tables(record)]
    parts += [_table(table) for table in (grid_table(record),) if table.rows]
    if lines := doubts(record):
        parts.append("## Doubts\n\n" + "\n".join(f"- {_escape(line)}" for line in lines))
    if lines := left_out(record):
        parts.append("## Left out\n\n" + "\n".join(f"- {_escape(line)}" for line in lines))
    inputs = record.header["inputs"]
    provenance = [f"- {key}: `{value}`" for key, value in inputs.items()] + [f"- trial: `{record.header['trial']}`"]
    if plan := record.header["plan"]:
        provenance += [f"- plan: `{plan['sha256']}`, frozen on {plan['created']}"]
        provenance += [f"- amendment: `{digest}`" for digest in plan["amendments"]]
    provenance.append("- check it with `ragtrial verify` and the path of this folder")
    parts.append("## Provenance\n\n" + "\n".join(provenance))
    if source := record.header["source"]:
        parts.append("## Data\n\n" + "\n".join(f"- {key}: {_escape(str(value))}" for key, value in source.items()))
    effective = json.dumps(record.header["effective"], indent=1, ensure_ascii=False)
    parts.append(f"## Parameters\n\n```json\n{effective}\n```")
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    lines = [f"## {_escape(table.title)}", "", _row(table.columns), _row(["---"] * len(table.columns))]
    lines += [_row(row) for row in table.rows]
    return "\n".join(lines) + (f"\n\n{_escape(table.note)}" if table.note else "")


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(_escape(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    # What a document or a file name says must stay text in the table.
    flat = " ".join(text.split())
    return _MARKS.sub(r"\\\g<0>", flat)
