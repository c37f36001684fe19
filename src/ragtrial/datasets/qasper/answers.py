"""QASPER's reference answers, by the rules of the official evaluator (METHODS section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ragtrial.datasets.qasper.files import PaperQuestion
from ragtrial.measures.refusals import UNANSWERABLE

__all__ = ["reference_answers"]


def reference_answers(question: PaperQuestion) -> tuple[str, ...]:
    """Return each annotator's answer as text, in file order, repeats included.

    "Unanswerable" if the annotator says so; else the extractive spans, joined ", "; else the free form; else Yes or No.
    An annotator whose entry holds none of these gives no reference; in the official files every entry holds one.
    """
    texts = (_reference(cast("Mapping[str, Any]", record["answer"])) for record in question["answers"])
    return tuple(text for text in texts if text is not None)


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
