"""One question: the model writes it, the filter tries it, the model says it another way, the filter tries that.

What enters is the paraphrase; the model sees the evidence once and never chooses it (METHODS section 7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import ask_object
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.questions.generate.overlap import Leak, Overlap
from ragtrial.questions.generate.targets import TYPES, Target

__all__ = ["ASKING", "REWORDING", "Drafted", "QuestionPrompts", "Stage", "draft_question", "question_request"]

Stage: TypeAlias = Literal["writing", "first filter", "rewording", "second filter", "kept"]
"""Where a draft ended."""

ASKING: Final = "question"
REWORDING: Final = "paraphrase"
"""The steps of the two calls, as the ledger has them."""

_MAX_TOKENS: Final = 200
_MAX_CHARACTERS: Final = 1_000
_SCHEMA: Final = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class QuestionPrompts:
    """The prompts: one a type, and the one that rewords."""

    by_type: Mapping[str, Prompt]
    paraphrase: Prompt

    @classmethod
    def load(cls, own: Mapping[str, str | Path] | None = None) -> QuestionPrompts:
        """Read ragtrial's prompts, or the user's own by type or as "paraphrase"; faults as `load_prompt`."""
        named = own or {}
        by_type: dict[str, Prompt] = {}
        for kind in TYPES:
            needed = {"span_1", "span_2"} if kind == "multihop" else {"span_1"}
            by_type[kind] = load_prompt(named.get(kind, f"question-{kind}"), {"title", *needed}, needed)
        return cls(by_type, load_prompt(named.get("paraphrase", "paraphrase"), {"question"}, {"question"}))

    def identity(self) -> dict[str, Mapping[str, Any]]:
        """Return version and hash of each prompt."""
        named = {**self.by_type, "paraphrase": self.paraphrase}
        return {name: prompt.identity() for name, prompt in named.items()}


@dataclass(frozen=True)
class Drafted:
    """What became of a target.

    ``first`` is the question as it was written, ``question`` its paraphrase; ``leak`` says what a filter found, and
    ``calls`` counts all calls, repeated ones too.
    """

    target: Target
    ended: Stage
    calls: int
    first: str = ""
    question: str = ""
    leak: Leak = ""


def draft_question(
    model: LanguageModel, target: Target, title: str, prompts: QuestionPrompts, overlap: Overlap
) -> Drafted:
    """Return what became of a target; an unreadable reply is asked for again with other seeds and then counted.

    Raises
    ------
    ModelCallError, SpendingCapError
        As `LanguageModel.ask`; a failed call is never taken for a rejected question.
    """
    first, calls = _ask(model, question_request(target, title, prompts), Purpose(ASKING, target.document))
    if first is None:
        return Drafted(target, "writing", calls)
    if leak := overlap.leak(first, target.texts):
        return Drafted(target, "first filter", calls, first, leak=leak)
    request = _request(prompts.paraphrase, {"question": first})
    second, more = _ask(model, request, Purpose(REWORDING, target.document))
    calls += more
    if second is None:
        return Drafted(target, "rewording", calls, first)
    leak = overlap.leak(second, target.texts)
    return Drafted(target, "second filter" if leak else "kept", calls, first, second, leak)


def question_request(target: Target, title: str, prompts: QuestionPrompts) -> Request:
    """Return the first call of a target."""
    return _request(prompts.by_type[target.type], {"title": title, **dict(_numbered(target.texts))})


def _numbered(texts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for number, text in enumerate(texts, start=1):
        yield f"span_{number}", text


def _request(prompt: Prompt, values: Mapping[str, str]) -> Request:
    system, user = prompt.fill(values)
    return Request(system, user, _MAX_TOKENS, schema=_SCHEMA)


def _ask(model: LanguageModel, request: Request, purpose: Purpose) -> tuple[str | None, int]:
    asked = ask_object(model, request, purpose, _question)
    return asked.value, asked.attempts


def _question(reply: Mapping[str, Any]) -> str | None:
    text = reply.get("question")
    folded = " ".join(text.split()) if isinstance(text, str) else ""
    return folded if 0 < len(folded) <= _MAX_CHARACTERS else None
