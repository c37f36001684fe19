"""Question files that hold their texts too: SQuAD, QASPER and BEIR."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragtrial.errors import DataError
from ragtrial.questions.parse import LineError, Row, json_lines, read_text
from ragtrial.text.sentences import sentence_ends

__all__ = ["beir_rows", "is_beir", "is_qasper", "is_squad", "passages_beside", "qasper_rows", "squad_rows"]


def is_squad(content: object) -> bool:
    """Tell whether a JSON file is in the layout of SQuAD: articles with paragraphs with questions."""
    data = content.get("data") if isinstance(content, dict) else None
    return isinstance(data, list) and bool(data) and isinstance(data[0], dict) and "paragraphs" in data[0]


def squad_rows(content: Mapping[str, Any], path: Path) -> Iterator[Row]:
    """Yield the questions of SQuAD 1.1 or 2.0.

    The evidence is the sentence of the paragraph that holds the answer, as a quote: the answer alone is a few
    words that stand in many places. Sentences of several annotators are alternatives.
    """
    number = 0
    for article in content["data"]:
        for paragraph in article.get("paragraphs", ()):
            context = str(paragraph.get("context", ""))
            ends = sentence_ends(context)
            for asked in paragraph.get("qas", ()):
                number += 1
                answers = [answer for answer in asked.get("answers") or () if isinstance(answer, dict)]
                sentences = dict.fromkeys(_sentence(context, ends, answer) for answer in answers)
                line: dict[str, object] = {
                    "id": asked.get("id"),
                    "question": asked.get("question"),
                    "evidence": [list(sentences)] if len(sentences) > 1 else list(sentences),
                    "answers": list(dict.fromkeys(str(answer.get("text")) for answer in answers if answer.get("text"))),
                    "cluster": article.get("title"),
                }
                yield Row(number, f"{path}: question {asked.get('id', number)}", line)


def _sentence(context: str, ends: list[int], answer: Mapping[str, Any]) -> str:
    start = int(answer.get("answer_start", 0))
    end = start + len(str(answer.get("text", "")))
    first = max((stop for stop in ends if stop <= start), default=0)
    last = min((stop for stop in ends if stop >= end), default=len(context))
    return context[first:last].strip()


def is_qasper(content: object) -> bool:
    """Tell whether a JSON file is in QASPER's layout: papers by id, each with full text and questions."""
    first = next(iter(content.values()), None) if isinstance(content, dict) else None
    return isinstance(first, dict) and "qas" in first and "full_text" in first


def qasper_rows(content: Mapping[str, Any], path: Path) -> Iterator[Row]:
    """Yield the questions of a QASPER file, with the evidence of each annotator.

    Evidence in figures and tables, and whole sections, have no quote and are left out, as are
    annotators who said "unanswerable"; a question without evidence is excluded when it is located.
    """
    number = 0
    for paper, record in content.items():
        for asked in record.get("qas", ()):
            number += 1
            quotes: dict[str, int] = {}
            groups: list[list[int]] = []
            for answer in (row.get("answer", {}) for row in asked.get("answers", ())):
                if answer.get("unanswerable"):
                    continue
                kept = [text for text in answer.get("evidence", ()) if _is_quote(text)]
                groups.append([quotes.setdefault(text, len(quotes)) for text in dict.fromkeys(kept)])
            line = {"id": asked.get("question_id"), "question": asked.get("question"), "cluster": paper}
            yield Row(number, f"{path}: {paper}", line | {"evidence": list(quotes), "annotators": groups})


def _is_quote(text: str) -> bool:
    return bool(text.strip()) and not text.startswith("FLOAT SELECTED") and ":::" not in text


def is_beir(path: Path) -> bool:
    """Tell whether a folder is in BEIR's layout: queries and judgements."""
    return path.is_dir() and (path / "queries.jsonl").is_file() and (path / "qrels").is_dir()


def beir_rows(path: Path) -> Iterator[Row]:
    """Yield the queries of a BEIR folder that are judged, with the texts of their relevant passages as quotes.

    The judgements are those of ``qrels/test.tsv``, or of the only file there. Where there is no
    ``corpus.jsonl`` the ids of passages are those of the documents.
    """
    qrels = _qrels(path)
    texts = passages_beside(path / "corpus.jsonl") if (path / "corpus.jsonl").is_file() else None
    for number, where, line in json_lines(path / "queries.jsonl", read_text(path / "queries.jsonl")):
        if isinstance(line, LineError):
            yield Row(number, where, line)
            continue
        relevant = qrels.get(str(line.get("_id")))
        if relevant is None:
            continue
        missing = [name for name in relevant if texts is not None and not texts.get(name, "").strip()]
        if missing:
            yield Row(number, where, LineError(f"the passage {missing[0]!r} is not in corpus.jsonl"))
            continue
        evidence = [{"section": f"{name}#"} if texts is None else {"quote": texts[name]} for name in relevant]
        yield Row(number, where, {"id": line.get("_id"), "question": line.get("text"), "evidence": evidence})


def _qrels(path: Path) -> dict[str, list[str]]:
    files = sorted((path / "qrels").glob("*.tsv"))
    named = [file for file in files if file.stem == "test"] or files
    if len(named) != 1:
        seen = ", ".join(file.name for file in files) or "none"
        raise DataError(f"{path / 'qrels'} needs test.tsv or one other .tsv file; there is {seen}.")
    found: dict[str, list[str]] = {}
    for number, line in enumerate(read_text(named[0]).splitlines(), start=1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and not cells[-1].strip().lstrip("-").isdigit()):
            continue
        if len(cells) not in (3, 4) or not cells[-1].strip().lstrip("-").isdigit():
            raise DataError(f"{named[0]}:{number}: a judgement is query, passage and score, with tabs between.")
        if int(cells[-1]) > 0:
            # Four columns are TREC's form, whose second is not used.
            found.setdefault(cells[0], []).append(cells[-2])
    return found


def passages_beside(path: Path) -> dict[str, str]:
    """Return the texts of a file of passages by id: ``corpus.jsonl`` of BEIR, ``corpus.parquet`` of AutoRAG."""
    if path.suffix == ".jsonl":
        rows: list[Mapping[str, object]] = []
        for _, where, line in json_lines(path, read_text(path)):
            if isinstance(line, LineError):
                raise DataError(f"{where}: {line}.")
            rows.append(line)
        return {str(row.get("_id")): str(row.get("text") or "") for row in rows}
    from ragtrial.questions.formats.tables import table_rows

    return {str(row.get("doc_id")): str(row.get("contents") or "") for _, row in table_rows(path)}


def json_content(path: Path) -> object:
    """Return what a JSON file holds; one that cannot be read raises `DataError`."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}.") from error
