"""Tables of questions, one row a question or one row a piece of evidence: CSV, TSV and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ragtrial.errors import DataError
from ragtrial.questions.parse import read_text

__all__ = ["merged_rows", "own_columns", "table_rows"]

_ALIASES = {
    "id": ("id", "question_id", "qid"),
    "question": ("question", "query", "q"),
    "document": ("document", "source_id", "doc", "doc_id", "file", "filename"),
    "evidence": ("evidence", "quote", "answer_span", "context", "passage", "section"),
    "start": ("start",),
    "end": ("end",),
    "answers": ("answers", "answer", "expected_answer", "gold_answer"),
    "type": ("type", "qtype", "question_type", "category"),
    "cluster": ("cluster",),
    "stratum": ("stratum",),
    "grade": ("grade", "relevance", "rel"),
}
"""What a column may be called; ours first, then what spreadsheets and context-grid call it."""

_LEFT = frozenset({"page", "page_hint", "page_number", "occurrence", "occurrence_index", "nth", "meta", "metadata"})


def table_rows(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the rows of a table with the line of each (in Parquet, its number); empty cells are left out."""
    if path.suffix.lower() in (".parquet", ".pq"):
        yield from enumerate(_parquet(path), start=1)
        return
    text = read_text(path)
    separator = "\t" if path.suffix.lower() == ".tsv" else _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        head = [name.strip() for name in next(reader, [])]
        if len(set(head)) < len(head):
            raise DataError(f"{path}:1: the table has two columns of one name.")
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) > len(head):
                raise DataError(f"{path}:{line}: the row has {len(cells)} cells, but there are {len(head)} columns.")
            row = {name: cell for name, cell in zip(head, cells, strict=False) if cell.strip()}
            if row:
                yield line, dict(row)
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{reader.line_num}: the table cannot be read: {error}.") from error


def _separator(text: str) -> str:
    """Return the one of comma, semicolon and tab that the first line has most of; European spreadsheets write ``;``."""
    head = text.partition("\n")[0]
    return max(",;\t", key=head.count)


def _parquet(path: Path) -> list[dict[str, object]]:
    import polars as pl

    try:
        rows = pl.read_parquet(path).to_dicts()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{path} is no Parquet file that can be read: {error}.") from error
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def own_columns(names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Return which column holds which of our keys, and the columns that mean nothing here."""
    given = {name.strip().casefold(): name for name in names}
    found: dict[str, str] = {}
    for key, aliases in _ALIASES.items():
        for alias in aliases:
            if alias in given:
                found[key] = given.pop(alias)
                break
    return found, sorted(name for lowered, name in given.items() if lowered not in _LEFT)


def merged_rows(
    rows: Iterable[tuple[int, Mapping[str, object]]], columns: Mapping[str, str]
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield our lines: rows that follow each other with one id, or no question of their own, are one question."""
    current: dict[str, object] | None = None
    start = 0
    for number, row in rows:
        cells = {key: row[name] for key, name in columns.items() if name in row}
        evidence = _evidence(cells)
        same = current is not None and ("question" not in cells or ("id" in cells and cells["id"] == current.get("id")))
        if current is None or not same:
            if current is not None:
                yield start, current
            current, start = {"evidence": []}, number
            current |= {key: value for key, value in cells.items() if key not in ("evidence", "start", "end", "grade")}
        held = current["evidence"]
        assert isinstance(held, list)
        held += evidence
    if current is not None:
        yield start, current


def _evidence(cells: Mapping[str, object]) -> list[object]:
    if str(cells.get("grade", "")).strip() in ("0", "0.0"):
        return []
    start, end = (_whole(cells.get(key)) for key in ("start", "end"))
    if start is not None or end is not None:
        return [{"start": start, "end": end} | ({"document": cells["document"]} if "document" in cells else {})]
    return [cells["evidence"]] if "evidence" in cells else []


def _whole(value: object) -> object:
    text = str(value).strip() if value is not None else ""
    return int(text) if text.isascii() and text.isdigit() else (text or None)
