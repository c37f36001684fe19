"""One record of another tool's file to the keys of our own line; the keys of a record tell whose it is.

Each reader says which keys it uses or knowingly leaves; all others are named to the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import unescape
from typing import NamedTuple

from ragtrial.questions.parse import LineError

__all__ = ["Reader", "listed", "reader_of"]

Record = Mapping[str, object]
_TAG = re.compile(r"<[^<>]*>")
_CORPUS_ID = re.compile(r"(.+)_(\d+)_(\d+)")


class Reader(NamedTuple):
    """How records of one format are read: its name, the keys that are known, and record to line.

    ``passages`` tells that evidence is given by the ids of passages.
    """

    name: str
    known: frozenset[str]
    line: Callable[[Record], dict[str, object]]
    passages: bool = False


def reader_of(record: Record) -> Reader | None:
    """Return the reader of a record, None for one in our own keys."""
    keys = record.keys()
    if "evidence" in keys:
        return None
    if "nuggets" in keys and "query_id" in keys:
        return _FRESHSTACK
    if "gold_snippets" in keys or ("query" in keys and "reviewed" in keys):
        return _CHUNKLAB
    if "retrieval_gt" in keys:
        return _AUTORAG
    if "user_input" in keys or ("contexts" in keys and "question" in keys):
        return _RAGAS
    if "anchors" in keys or "qtype" in keys:
        return _CONTEXT_GRID
    if "gold" in keys:
        return _MDKEYCHUNKER
    return None


def listed(value: object) -> list[object]:
    """Return a value as a list: a list as it is, the text of one as what it spells, nothing as none."""
    if value is None or value == "":
        return []
    if isinstance(value, str) and value.lstrip().startswith("["):
        return _spelled(value)
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _spelled(text: str) -> list[object]:
    """Return the list that a table's cell spells in JSON or, as pandas writes it, in Python."""
    from ast import literal_eval

    for read in (json.loads, literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        return value if isinstance(value, list) else [value]
    return [text]


def _ragas(record: Record) -> dict[str, object]:
    contexts = record.get("reference_contexts", record.get("contexts"))
    return {
        "question": record.get("user_input", record.get("question")),
        "evidence": listed(contexts),
        "answers": listed(record.get("reference", record.get("ground_truth"))),
        "type": record.get("synthesizer_name", record.get("evolution_type")),
    }


def _freshstack(record: Record) -> dict[str, object]:
    nuggets = [item for item in listed(record.get("nuggets")) if isinstance(item, Mapping)]
    ids = {str(name): None for nugget in nuggets for name in listed(nugget.get("relevant_corpus_ids"))}
    body = unescape(_TAG.sub(" ", str(record.get("query_text") or "")))
    return {
        "id": record.get("query_id"),
        "question": "\n\n".join(part for part in (str(record.get("query_title") or ""), body.strip()) if part),
        "evidence": [_corpus_range(name) for name in ids],
        "answers": listed(record.get("answer_text")),
        "nuggets": [nugget["text"] for nugget in nuggets if nugget.get("text")],
    }


def _corpus_range(name: str) -> dict[str, object]:
    found = _CORPUS_ID.fullmatch(name)
    if found is None:
        raise LineError(f"the corpus id {name!r} is not path_start_end")
    return {"document": found[1], "start": int(found[2]), "end": int(found[3])}


def _chunklab(record: Record) -> dict[str, object]:
    return {
        "id": record.get("id"),
        "question": record.get("query"),
        "evidence": listed(record.get("gold_snippets")),
        "answers": listed(record.get("gold_answer")),
        "type": next((tag for tag in listed(record.get("tags"))), None),
    }


def _context_grid(record: Record) -> dict[str, object]:
    anchors = [item for item in listed(record.get("anchors")) if isinstance(item, Mapping) and _graded(item)]
    evidence: list[object] = [{"document": item.get("source_id"), "quote": item.get("quote")} for item in anchors]
    if not evidence:
        evidence = [_gold(item) for item in listed(record.get("gold")) if _graded(item)]
    return {
        "id": record.get("id"),
        "question": record.get("question"),
        "evidence": evidence,
        "answers": listed(record.get("answer")),
        "type": record.get("qtype"),
    }


def _graded(item: object) -> bool:
    return not isinstance(item, Mapping) or bool(item.get("grade", 2))


def _mdkeychunker(record: Record) -> dict[str, object]:
    document = record.get("doc_id")
    return {
        "id": record.get("qid", record.get("id")),
        "question": record.get("question", record.get("query")),
        "document": document,
        "evidence": [_gold(item) for item in listed(record.get("gold"))],
    }


def _gold(item: object) -> object:
    """Return a piece of evidence: a text, ``{doc_id, text}``, ``{doc_id, start, end}`` or ``[doc_id, start, end]``."""
    if isinstance(item, (list, tuple)) and len(item) == 3:
        return dict(zip(("document", "start", "end"), item, strict=True))
    if not isinstance(item, Mapping):
        return item
    place = {"document": item["doc_id"]} if item.get("doc_id") else {}
    if item.get("start") is not None:
        return place | {"start": item.get("start"), "end": item.get("end")}
    return place | {"quote": item.get("text")}


def _autorag(record: Record) -> dict[str, object]:
    """Ids of passages: the outer list wants all, each inner list any one; the passages are put in afterwards."""
    given = listed(record.get("retrieval_gt"))
    return {
        "id": record.get("qid"),
        "question": record.get("query"),
        "evidence": [listed(item) for item in given],
        "answers": listed(record.get("generation_gt")),
    }


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


_RAGAS = Reader(
    "ragas",
    _keys("user_input", "question", "reference_contexts", "contexts", "reference", "ground_truth", "synthesizer_name")
    | _keys(
        "evolution_type", "retrieved_contexts", "response", "rubrics", "metadata", "episode_done", "multi_responses"
    )
    | _keys("persona_name", "query_style", "query_length", "retrieved_context_ids", "reference_context_ids"),
    _ragas,
)
_FRESHSTACK = Reader(
    "freshstack",
    _keys("query_id", "query_title", "query_text", "nuggets", "answer_id", "answer_text", "metadata"),
    _freshstack,
)
_CHUNKLAB = Reader("chunklab", _keys("id", "query", "gold_snippets", "gold_answer", "tags", "reviewed"), _chunklab)
_CONTEXT_GRID = Reader(
    "context-grid", _keys("id", "question", "gold", "anchors", "qtype", "answer", "meta"), _context_grid
)
_MDKEYCHUNKER = Reader("mdkeychunker", _keys("id", "qid", "question", "query", "gold", "doc_id"), _mdkeychunker)
_AUTORAG = Reader(
    "autorag",
    _keys("qid", "query", "retrieval_gt", "generation_gt", "retrieval_gt_contents", "path", "page", "metadata"),
    _autorag,
    passages=True,
)
