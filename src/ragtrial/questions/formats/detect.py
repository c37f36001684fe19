"""Which format a questions file has, and its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

from ragtrial.errors import DataError
from ragtrial.questions.formats import with_texts
from ragtrial.questions.formats.records import Reader, reader_of
from ragtrial.questions.formats.tables import merged_rows, own_columns, table_rows
from ragtrial.questions.parse import Draft, LineError, Row, collect, json_lines, read_text

__all__ = ["QuestionsFile", "read_drafts"]

_OF_TABLES = ("autorag", "freshstack", "ragas")
_TABLES = (".csv", ".tsv", ".parquet", ".pq")


class QuestionsFile(NamedTuple):
    """The questions of a file, its format, and the columns or keys that mean nothing here."""

    drafts: list[Draft]
    format: str
    unread: tuple[str, ...] = ()


def read_drafts(path: str | Path) -> QuestionsFile:
    """Read a file of questions in any known format; their evidence is yet to be located.

    The format is found out from the ending (JSON lines, JSON, YAML, CSV, TSV, Parquet, a folder of BEIR's) and the
    keys of the first record.

    Raises
    ------
    DataError
        The file cannot be read or has faults; all are listed.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if with_texts.is_beir(path):
        return QuestionsFile(collect(path, with_texts.beir_rows(path)), "beir")
    if kind in _TABLES:
        return _table(path)
    if kind in (".yaml", ".yml"):
        return _list(path, _yaml(path))
    if kind == ".json":
        return _json(path)
    return _records(path, json_lines(path, read_text(path)))


def _json(path: Path) -> QuestionsFile:
    content = with_texts.json_content(path)
    if with_texts.is_squad(content):
        return QuestionsFile(collect(path, with_texts.squad_rows(cast("Mapping[str, Any]", content), path)), "squad")
    if with_texts.is_qasper(content):
        return QuestionsFile(collect(path, with_texts.qasper_rows(cast("Mapping[str, Any]", content), path)), "qasper")
    return _list(path, content)


def _list(path: Path, content: object) -> QuestionsFile:
    """Read a list of records, or one under the key ``questions``."""
    if isinstance(content, Mapping) and isinstance(content.get("questions"), list):
        content = content["questions"]
    if not isinstance(content, list):
        raise DataError(
            f"{path} is in none of the known formats of questions.",
            hint="It holds neither a list of questions nor the layout of SQuAD or QASPER; docs/questions.md lists all.",
        )
    rows = (
        Row(n, f"{path}: question {n}", item if isinstance(item, Mapping) else LineError("it is no mapping"))
        for n, item in enumerate(content, start=1)
    )
    return _records(path, rows)


def _yaml(path: Path) -> object:
    import yaml

    try:
        return yaml.safe_load(read_text(path))
    except (yaml.YAMLError, RecursionError) as error:
        raise DataError(f"{path} is not YAML: {' '.join(str(error).split())}.") from error


def _table(path: Path) -> QuestionsFile:
    rows = list(table_rows(path))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    reader = reader_of(dict.fromkeys(names))
    if reader is not None and reader.name in _OF_TABLES:
        return _records(path, (Row(number, f"{path}:{number}", row) for number, row in rows))
    columns, unread = own_columns(names)
    if rows and "question" not in columns:
        raise DataError(f"{path} has no column 'question'.", hint=f"Its columns are {', '.join(names)}.")
    lines = (Row(number, f"{path}:{number}", row) for number, row in merged_rows(rows, columns))
    return QuestionsFile(collect(path, lines), "csv", tuple(unread))


def _records(path: Path, rows: Iterable[Row]) -> QuestionsFile:
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return QuestionsFile(collect(path, ()), "ragtrial")
    if "_evalset" in (first.line if isinstance(first.line, Mapping) else {}):
        # The head of a context-grid file, which is no question.
        first = next(rows, first)
    everything = chain([first], rows)
    reader = reader_of(first.line) if isinstance(first.line, Mapping) else None
    if reader is None:
        return QuestionsFile(collect(path, everything), "ragtrial")
    unread: set[str] = set()
    put = _passages(path) if reader.passages else None
    return QuestionsFile(
        collect(path, _translated(everything, reader, unread, put)), reader.name, tuple(sorted(unread))
    )


def _translated(
    rows: Iterable[Row], reader: Reader, unread: set[str], put: Callable[[object], object] | None
) -> Iterator[Row]:
    for number, where, record in rows:
        if isinstance(record, LineError):
            yield Row(number, where, record)
            continue
        unread.update(str(key) for key in record if key not in reader.known)
        try:
            line: Mapping[str, object] | LineError = reader.line(record)
            if put is not None and isinstance(line, dict):
                line["evidence"] = put(line["evidence"])
        except LineError as fault:
            line = fault
        yield Row(number, where, line)


def _passages(path: Path) -> Callable[[object], object]:
    """Return what puts the texts of passages where a record has their ids; they stand in ``corpus`` beside the file."""
    beside = [path.with_name(f"corpus{ending}") for ending in (".parquet", ".csv")]
    file = next((file for file in beside if file.is_file()), None)
    if file is None:
        raise DataError(
            f"{path} names its evidence by the ids of passages, and there is no {beside[0].name} beside it.",
            hint="Put AutoRAG's corpus.parquet into the same folder.",
        )
    texts = with_texts.passages_beside(file)

    def put(value: object) -> object:
        if isinstance(value, list):
            return [put(item) for item in value]
        text = texts.get(str(value), "")
        if not text.strip():
            raise LineError(f"the passage {value!r} is not in {file.name}")
        return text

    return put
