"""The judge: one call an answer labels all nuggets of its question (METHODS section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import ask_object
from ragtrial.llm.prompt import Prompt
from ragtrial.measures.answers import LABELS, NuggetLabel
from ragtrial.questions.model import Question

__all__ = ["JUDGING", "Judgement", "judge", "judge_request"]

JUDGING: Final = "judge"
"""The step of these calls, as the ledger has it."""

_TOKENS_A_LABEL: Final = 40
_TOKENS_BESIDE: Final = 100


class Judgement(NamedTuple):
    """A label for each nugget; ``readable`` is False where no reply could be used and all count as "no_support"."""

    labels: tuple[NuggetLabel, ...]
    readable: bool


def judge_request(prompt: Prompt, question: str, answer: str, nuggets: Sequence[str]) -> Request:
    """Return the call that labels the nuggets of one answer."""
    listed = "\n".join(f"{number}. {' '.join(nugget.split())}" for number, nugget in enumerate(nuggets, start=1))
    system, user = prompt.fill({"question": question, "answer": answer, "nuggets": listed})
    count = len(nuggets)
    entry = {
        "type": "object",
        "properties": {"fact": {"type": "integer"}, "label": {"type": "string", "enum": list(LABELS)}},
        "required": ["fact", "label"],
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"labels": {"type": "array", "items": entry, "minItems": count, "maxItems": count}},
        "required": ["labels"],
        "additionalProperties": False,
    }
    return Request(system, user, _TOKENS_BESIDE + _TOKENS_A_LABEL * count, schema=schema)


def judge(model: LanguageModel, prompt: Prompt, asked: Question, answer: str) -> Judgement:
    """Return the labels that an answer gets for the nuggets of its question.

    A reply whose labels are missing, double, out of range or unknown is asked for again with seeds 1, 2 and 3; after
    that the answer supports nothing. An empty answer supports nothing and is not asked about.

    Raises
    ------
    ModelCallError, SpendingCapError
        As `LanguageModel.ask`.
    """
    nuggets = asked.nuggets
    nothing: tuple[NuggetLabel, ...] = tuple("no_support" for _ in nuggets)
    if not answer.strip():
        return Judgement(nothing, readable=True)
    request = judge_request(prompt, asked.text, answer, nuggets)
    purpose = Purpose(JUDGING, asked.document or "")
    labels = ask_object(model, request, purpose, lambda reply: _labels(reply, len(nuggets))).value
    return Judgement(nothing, readable=False) if labels is None else Judgement(labels, readable=True)


def _labels(reply: Mapping[str, Any], wanted: int) -> tuple[NuggetLabel, ...] | None:
    rows = reply.get("labels")
    if not isinstance(rows, list) or len(rows) != wanted:
        return None
    found: dict[int, NuggetLabel] = {}
    for row in rows:
        number, label = (row.get("fact"), row.get("label")) if isinstance(row, dict) else (None, None)
        if type(number) is not int or label not in LABELS:
            return None
        found[number] = label
    if found.keys() != set(range(1, wanted + 1)):
        return None
    return tuple(found[number] for number in range(1, wanted + 1))
