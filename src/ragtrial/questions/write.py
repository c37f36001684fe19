"""Questions to a file of JSON lines, the form that `ragtrial.questions.load` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import accumulate, chain
from typing import Any

from ragtrial.questions.model import Evidence, Question

__all__ = ["question_line", "questions_text"]


def question_line(question: Question) -> dict[str, Any]:
    """Return a question as one JSON-ready line: evidence by its place where that is known, else as a quote."""
    pieces = [_pieces(evidence) for evidence in question.evidence]
    first = [0, *accumulate(map(len, pieces))]
    numbers = [list(range(first[n], first[n + 1])) for n in range(len(pieces))]
    line: dict[str, Any] = {"id": question.id, "question": question.text, "evidence": list(chain(*pieces))}
    optional: Mapping[str, Any] = {
        "document": question.document if _one_document(question) else None,
        "cluster": question.cluster,
        "type": question.type,
        "stratum": question.stratum,
        "annotators": [[number for index in group for number in numbers[index]] for group in question.annotators],
        "answers": list(question.answers),
        "nuggets": list(question.nuggets),
        "withheld": [place._asdict() for place in question.withheld],
        "origin": question.origin,
    }
    return line | {key: value for key, value in optional.items() if value}


def questions_text(questions: Iterable[Question]) -> str:
    """Return the text of a questions file."""
    return "".join(json.dumps(question_line(question), ensure_ascii=False) + "\n" for question in questions)


def _one_document(question: Question) -> bool:
    return all(evidence.document in (None, question.document) for evidence in question.evidence)


def _pieces(evidence: Evidence) -> list[Any]:
    if evidence.document is None or not evidence.spans:
        return [evidence.text]
    return [{"document": evidence.document, "start": start, "end": end} for start, end in evidence.spans]
