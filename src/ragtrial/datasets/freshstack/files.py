"""FreshStack's files: the queries and the corpus of one domain, as JSON lines or as the official Parquet."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from ragtrial.errors import DataError

__all__ = ["ChunkId", "Query", "domains", "parse_chunk_id", "read_chunks", "read_queries"]

_ENDS = (".jsonl", ".jsonl.gz", ".parquet")
_CHUNK_ID = re.compile(r"(?P<path>.+)_(?P<start>[0-9]+)_(?P<end>[0-9]+)")


class ChunkId(NamedTuple):
    """What a corpus id says: the path of a file in a repository and a range of its characters."""

    path: str
    start: int
    end: int


class Query(NamedTuple):
    """A question of Stack Overflow, its facts, and the ids of the chunks that support each of them."""

    id: str
    title: str
    body: str
    answer: str
    nuggets: tuple[tuple[str, tuple[str, ...]], ...]
    where: str


def parse_chunk_id(id: str) -> ChunkId | None:  # noqa: A002  # the data set's own word
    """Split ``path_start_end``; None if an id is not of this form."""
    found = _CHUNK_ID.fullmatch(id)
    return ChunkId(found["path"], int(found["start"]), int(found["end"])) if found else None


def domains(path: Path) -> list[str]:
    """Return the names of the folders below ``path`` that hold queries, sorted.

    Raises
    ------
    DataError
        There is none.
    """
    found = sorted(folder.name for folder in path.iterdir() if folder.is_dir()) if path.is_dir() else []
    found = [name for name in found if _files(path / name, "queries")]
    if not found:
        raise DataError(
            f"There is no FreshStack in {path}.",
            hint="It needs a folder for each domain, such as laravel/, with queries.jsonl (or .parquet), corpus.jsonl "
            "and docs/, the documentation of the repository at the commit of the corpus.",
        )
    return found


def _files(folder: Path, what: str) -> list[Path]:
    """Return ``queries.jsonl`` and the like, or the parts of it (``queries-00000-of-00002.parquet``), sorted."""
    return sorted(file for file in folder.iterdir() if file.name.startswith(what) and file.name.lower().endswith(_ENDS))


def _rows(folder: Path, what: str) -> Iterator[tuple[str, Any]]:
    """Yield the place and the content of each row of a domain's queries or corpus."""
    files = _files(folder, what)
    if not files:
        raise DataError(f"There is no {what}.jsonl or {what}.parquet in {folder}.")
    for file in files:
        try:
            if file.suffix == ".parquet":
                yield from _parquet_rows(file)
            else:
                with _opened(file) as lines:
                    for number, line in enumerate(lines, 1):
                        if line.strip():
                            yield f"{file}:{number}", json.loads(line)
        except (OSError, EOFError, ValueError) as error:
            raise DataError(f"{file} is damaged: {error}.") from error


def _opened(file: Path) -> IO[bytes]:
    return gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _parquet_rows(file: Path) -> Iterator[tuple[str, Any]]:
    import polars as pl

    try:
        table = pl.read_parquet(file)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"{file} is damaged: {error}.") from error
    for number, row in enumerate(table.iter_rows(named=True), 1):
        yield f"{file}, row {number}", row


def read_queries(folder: Path) -> list[Query]:
    """Return the queries of a domain's folder in the order of its files; see `Query`."""
    return [_query(where, row) for where, row in _rows(folder, "queries")]


def _query(where: str, row: Any) -> Query:
    if not isinstance(row, dict):
        raise DataError(f"{where} is no query of FreshStack.")
    for key in ("query_id", "query_title", "query_text"):
        if not isinstance(row.get(key), str):
            raise DataError(f"{where} is no query of FreshStack: it has no {key!r}.")
    nuggets = row.get("nuggets")
    if not isinstance(nuggets, list):
        raise DataError(f"{where} is no query of FreshStack: it has no list 'nuggets'.")
    facts: list[tuple[str, tuple[str, ...]]] = []
    for nugget in nuggets:
        ids = nugget.get("relevant_corpus_ids") if isinstance(nugget, dict) else None
        if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):  # noqa: A001
            raise DataError(f"{where} has a nugget without a list 'relevant_corpus_ids'.")
        facts.append((str(nugget.get("text") or ""), tuple(ids)))
    answer = row.get("answer_text")
    return Query(
        row["query_id"],
        row["query_title"],
        row["query_text"],
        answer if isinstance(answer, str) else "",
        tuple(facts),
        where,
    )


def read_chunks(folder: Path, wanted: set[str]) -> dict[str, str]:
    """Return the texts of the corpus chunks with these ids; an id that is not in the corpus is missing."""
    found: dict[str, str] = {}
    for where, row in _rows(folder, "corpus"):
        if not isinstance(row, dict) or not isinstance(row.get("_id"), str) or not isinstance(row.get("text"), str):
            raise DataError(f"{where} is no chunk of FreshStack: it needs '_id' and 'text'.")
        if row["_id"] in wanted:
            found[row["_id"]] = row["text"]
    return found
