"""From documents to the questions that are used: targets drawn, a model asked, drafts filtered and balanced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ragtrial.documents.model import Document
from ragtrial.documents.title import document_title
from ragtrial.errors import DataError, ModelCallError
from ragtrial.llm.base import LanguageModel
from ragtrial.llm.concurrent import map_documents
from ragtrial.questions.generate.ask import Drafted, QuestionPrompts, draft_question
from ragtrial.questions.generate.finals import Finals, choose_finals
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.generate.targets import Sampling, Target, pick_targets

__all__ = ["Generated", "Plan", "generate_questions"]


Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]


@dataclass(frozen=True)
class Plan:
    """Everything that generated questions depend on beside the documents and the model.

    ``most`` is the highest number of finals of a type.
    """

    prompts: QuestionPrompts = field(default_factory=QuestionPrompts.load)
    sampling: Sampling = field(default_factory=Sampling)
    overlap: Overlap = field(default_factory=Overlap)
    most: int = 250


@dataclass(frozen=True)
class Generated:
    """All drafts, in the order of the documents, and the finals among them with the funnel."""

    drafts: tuple[Drafted, ...]
    finals: Finals

    def rejected(self) -> list[dict[str, Any]]:
        """Return the drafts that went no further, JSON-ready, each with the words and the reason."""
        return [
            {
                "id": draft.target.id,
                "type": draft.target.type,
                "document": draft.target.document,
                "ended": draft.ended,
                "leak": draft.leak,
                "first": draft.first,
                "question": draft.question,
            }
            for draft in self.drafts
            if draft.ended != "kept"
        ]


def generate_questions(
    documents: Iterable[Document], model: LanguageModel, plan: Plan, *, progress: Progress
) -> Generated:
    """Generate questions about documents.

    Parameters
    ----------
    documents : iterable of Document
        Read once.
    model : LanguageModel
    plan : Plan
    progress : callable
        Opened with a stage and the number of targets, as a context whose value is called after each of them.

    Raises
    ------
    DataError
        The documents have no span that a question could be about.
    ModelCallError, SpendingCapError
        A call failed after all tries, or could pass the cap; replies that came are kept, and the same command goes on.
    """
    titled = [
        (target, document_title(document)) for document in documents for target in pick_targets(document, plan.sampling)
    ]
    if not titled:
        low, high = plan.sampling.min_words, plan.sampling.max_words
        raise DataError(
            f"These documents have no paragraph of {low} to {high} words to ask about.",
            hint="Lower the least number of words.",
        )

    def draft(item: tuple[Target, str]) -> Drafted:
        return draft_question(model, *item, plan.prompts, plan.overlap)

    with progress("Asking about documents", len(titled)) as done:
        results = map_documents(draft, titled, model.concurrency, done=done)
    drafts: list[Drafted] = []
    for result in results:
        if isinstance(result, ModelCallError):
            raise result
        drafts.append(result)
    return Generated(tuple(drafts), choose_finals(drafts, most=plan.most, seed=plan.sampling.seed))
