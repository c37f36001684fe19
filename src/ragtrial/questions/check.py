"""What is wrong with a set of questions, each fault in a sentence that tells what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, NamedTuple

from ragtrial.documents.model import Document
from ragtrial.questions.generate.overlap import Overlap
from ragtrial.questions.load import QuestionReading
from ragtrial.questions.locate import Quote, find_quote
from ragtrial.questions.model import Question
from ragtrial.questions.parse import Draft
from ragtrial.questions.rescue import nearest_text, numbers
from ragtrial.statistics.clusters import FEW_CLUSTERS, MIN_CLUSTERS
from ragtrial.text import tokens
from ragtrial.text.words import unicode_words

__all__ = ["Finding", "check_questions"]

Kind = Literal["missing", "alike", "twice", "repeated", "leaks", "long", "unread", "clusters"]

_LEAST_NEAR = 50.0
_LARGE_CLUSTER = 0.25
_BUDGET = 512
"""The budget of the primary measure, in tokens; evidence of twice as many can never be half in it."""


class Finding(NamedTuple):
    """One thing that is wrong: what kind of thing, the question ("" for the whole set), and the sentence.

    ``paste`` is text of the documents that the file may have meant.
    """

    kind: Kind
    question: str
    sentence: str
    paste: str = ""


def check_questions(drafts: Sequence[Draft], reading: QuestionReading, documents: Sequence[Document]) -> list[Finding]:
    """Return everything that is wrong with a set of questions.

    Parameters
    ----------
    drafts : sequence of Draft
        The questions as the file gives them.
    reading : QuestionReading
        What became of them.
    documents : sequence of Document
    """
    return [
        *_Places(drafts, reading, documents).findings(),
        *_repeated(reading.questions),
        *_leaking(reading.questions),
        *_long(reading.questions),
        *_unread(reading),
        *_clusters(reading.questions),
    ]


@dataclass(frozen=True)
class _Places:
    """Evidence that stands nowhere, somewhere else, or in several places."""

    drafts: Sequence[Draft]
    reading: QuestionReading
    documents: Sequence[Document]

    def findings(self) -> Iterator[Finding]:
        excluded = {item.id: item.reason for item in self.reading.excluded}
        questions = {question.id: question for question in self.reading.questions}
        for draft in self.drafts:
            if draft.id in excluded:
                yield self._missing(draft, excluded[draft.id])
            if draft.id in self.reading.fuzzy:
                texts = {wanted.text for wanted in draft.wanted if isinstance(wanted, Quote)}
                for evidence in questions[draft.id].evidence:
                    if evidence.text not in texts:
                        where = self._where(evidence.document, evidence.spans[0].start)
                        yield Finding(
                            "alike", draft.id, f"its evidence was taken for this text at {where}", evidence.text
                        )
            if draft.id in self.reading.ambiguous:
                yield from self._twice(draft)

    def _missing(self, draft: Draft, reason: str) -> Finding:
        for wanted in draft.wanted:
            if not isinstance(wanted, Quote):
                meant = self._document_meant(wanted.document)
                if meant:
                    return Finding("missing", draft.id, f"{reason}; did you mean {meant!r}?")
                continue
            if self._holds(wanted):
                continue
            elsewhere = self._elsewhere(wanted)
            if elsewhere:
                return Finding("missing", draft.id, f"{reason}, but at {elsewhere}: correct its document")
            near = nearest_text(wanted, self.documents, _LEAST_NEAR)
            if near is not None:
                where = self._where(near.document, near.span.start)
                other = "" if numbers(near.text) == numbers(wanted.text) else "; its numbers are others"
                sentence = f"{reason}. The text most like it ({near.likeness:.0f}%{other}) is at {where}"
                return Finding("missing", draft.id, sentence, near.text)
        return Finding("missing", draft.id, reason)

    def _holds(self, quote: Quote) -> bool:
        needle = quote.text.strip()
        return any(needle in document.text for document in self.documents if quote.document in (None, document.id))

    def _elsewhere(self, quote: Quote) -> str:
        """Return where a quote stands in another document than it names."""
        if quote.document is None:
            return ""
        found = ((document, find_quote(document.text, quote.text)) for document in self.documents)
        return next((self._where(document.id, span.start) for document, span in found if span is not None), "")

    def _document_meant(self, name: str | None) -> str:
        """Return the one document whose id is most like a name that no document has."""
        ids = [document.id for document in self.documents]
        near = [] if name is None or name in ids else get_close_matches(name, ids, n=1, cutoff=0.7)
        return near[0] if near else ""

    def _twice(self, draft: Draft) -> Iterator[Finding]:
        for wanted in draft.wanted:
            if not isinstance(wanted, Quote):
                continue
            places = [
                self._where(document.id, start)
                for document in self.documents
                if wanted.document in (None, document.id)
                for start in _starts(document.text, wanted.text.strip())
            ]
            if len(places) > 1:
                shown = ", ".join(places[:3]) + (" ..." if len(places) > 3 else "")
                yield Finding(
                    "twice",
                    draft.id,
                    f"its evidence stands in {len(places):,} places ({shown}) and the first was taken: quote more of "
                    'it, or give {"document", "start", "end"}',
                )

    def _where(self, document: str | None, offset: int) -> str:
        found = next(item for item in self.documents if item.id == document)
        return f"{found.id}:{found.line_at(offset)}"


def _starts(text: str, needle: str) -> Iterator[int]:
    position = text.find(needle) if needle else -1
    while position >= 0:
        yield position
        position = text.find(needle, position + 1)


def _repeated(questions: Sequence[Question]) -> Iterator[Finding]:
    seen: dict[tuple[str, ...], str] = {}
    for question in questions:
        words = tuple(sorted(unicode_words(question.text)))
        if words in seen:
            yield Finding("repeated", question.id, f"it asks in the same words as {seen[words]}: one of them is enough")
        seen.setdefault(words, question.id)


def _leaking(questions: Sequence[Question]) -> Iterator[Finding]:
    overlap = Overlap()
    for question in questions:
        leak = overlap.leak(question.text, question.evidence_texts)
        if leak:
            how = f"{overlap.gram} words in a row" if leak == "gram" else "most of its words"
            yield Finding(
                "leaks",
                question.id,
                f"it takes {how} from its evidence, so that word matching finds it whatever the chunks are: reword it",
            )


def _long(questions: Sequence[Question]) -> Iterator[Finding]:
    for question in questions:
        sizes = [tokens.count(text) for text in question.evidence_texts]
        if max(sizes) > 2 * _BUDGET:
            yield Finding(
                "long",
                question.id,
                f"its evidence has {max(sizes):,} tokens, and half of it has no room in the budget of {_BUDGET}: quote "
                "the part that answers",
            )


def _unread(reading: QuestionReading) -> Iterator[Finding]:
    if reading.unread:
        yield Finding("unread", "", f"columns that mean nothing here: {', '.join(reading.unread)}")


def _clusters(questions: Sequence[Question]) -> Iterator[Finding]:
    sizes = Counter(question.cluster for question in questions)
    if len(sizes) < MIN_CLUSTERS:
        yield Finding(
            "clusters",
            "",
            f"they are about {len(sizes)} document{'' if len(sizes) == 1 else 's'}; an interval needs {MIN_CLUSTERS}: "
            "nothing can be decided",
        )
    elif len(sizes) < FEW_CLUSTERS:
        yield Finding(
            "clusters", "", f"they are about {len(sizes)} documents; under {FEW_CLUSTERS} the intervals are too narrow"
        )
    if sizes:
        name, count = min(sizes.items(), key=lambda item: (-item[1], item[0]))
        if len(sizes) > 1 and count > _LARGE_CLUSTER * len(questions):
            yield Finding(
                "clusters",
                "",
                f"{count:,} of {len(questions):,} are about {name}, which then decides alone: spread them",
            )
