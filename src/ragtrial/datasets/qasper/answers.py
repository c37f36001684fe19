"""QASPER's reference answers, by the rules of the official evaluator (METHODS section 5.3), and their kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from ragtrial.datasets.qasper.files import PaperQuestion
from ragtrial.measures.refusals import UNANSWERABLE

__all__ = ["question_type", "reference_answers"]


def reference_answers(question: PaperQuestion) -> tuple[str, ...]:
    """Return each annotator's answer as text, in file order, repeats included.

    "Unanswerable" if the annotator says so; else the extractive spans, joined ", "; else the free form; else Yes or No.
    An annotator whose entry holds none of these gives no reference; in the official files every entry holds one.
    """
    texts = (_reference(cast("Mapping[str, Any]", record["answer"])) for record in question["answers"])
    return tuple(text for text in texts if text is not None)


def question_type(question: PaperQuestion) -> str | None:
    """Return "boolean", "extractive" or "abstractive": what most annotators answered; of equals, the first one's.

    Annotators who marked the question unanswerable are ignored; None if no answer is left.
    """
    kinds = [_kind(cast("Mapping[str, Any]", record["answer"])) for record in question["answers"]]
    ranked = Counter(kind for kind in kinds if kind is not None).most_common(1)
    return ranked[0][0] if ranked else None


def _kind(answer: Mapping[str, Any]) -> str | None:
    if answer["unanswerable"]:
        return None
    if answer.get("yes_no") is not None:
        return "boolean"
    if answer.get("extractive_spans"):
        return "extractive"
    return "abstractive" if answer.get("free_form_answer") else None


def _reference(answer: Mapping[str, Any]) -> str | None:
    if answer["unanswerable"]:
        return UNANSWERABLE
    if spans := answer.get("extractive_spans"):
        return ", ".join(map(str, spans))
    if free := answer.get("free_form_answer"):
        return str(free)
    if (yes := answer.get("yes_no")) is None:
        return None
    return "Yes" if yes else "No"
