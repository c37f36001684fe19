"""The reader: one fixed model at temperature 0 answers from what was retrieved (METHODS section 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import without_thinking
from ragtrial.llm.prompt import Prompt
from ragtrial.measures.refusals import answer_of
from ragtrial.questions.model import Question
from ragtrial.trial.answers.pieces import numbered

__all__ = ["READING", "read_answer", "reader_request"]

READING: Final = "reader"
"""The step of these calls, as the ledger has it."""


def reader_request(prompt: Prompt, question: str, pieces: Sequence[str], max_tokens: int) -> Request:
    """Return the call that answers one question from pieces of text."""
    system, user = prompt.fill({"pieces": numbered(pieces), "question": question})
    return Request(system, user, max_tokens)


def read_answer(model: LanguageModel, prompt: Prompt, asked: Question, pieces: Sequence[str], max_tokens: int) -> str:
    """Return the reader's answer, without its label and later lines; refusals are "Unanswerable".

    Raises
    ------
    ModelCallError, SpendingCapError
        As `LanguageModel.ask`.
    """
    request = reader_request(prompt, asked.text, pieces, max_tokens)
    reply = model.ask(request, Purpose(READING, asked.document or ""))
    return answer_of(without_thinking(reply.text))
