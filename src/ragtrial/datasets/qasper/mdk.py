"""QASPER as in Mangla 2026 (MDK): the evidence rule, the pool, the sample (METHODS section 7).

Evidence is kept if it is not blank, does not start with "FLOAT SELECTED" and has no
":::" (a section name); annotators who marked the question unanswerable are ignored.
A question's evidence is the sorted union over its annotators. A question without any
is left out; a paper is eligible if a question is left.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from ragtrial.datasets.model import Dataset
from ragtrial.datasets.qasper.answers import question_type, reference_answers
from ragtrial.datasets.qasper.files import Paper, PaperQuestion
from ragtrial.datasets.qasper.markdown import to_markdown
from ragtrial.documents.markdown.reader import Dialect, read_markdown
from ragtrial.documents.model import Document
from ragtrial.questions.locate import find_quote
from ragtrial.questions.model import Evidence, Excluded, Question

__all__ = ["SPLITS", "build_mdk", "eligible_questions", "mdk_pool", "mdk_sample", "text_evidence"]

SPLITS = ("dev", "test")
"""The study draws from these."""

_FLOAT = "FLOAT SELECTED"
_SECTION = ":::"


def text_evidence(question: PaperQuestion) -> tuple[tuple[str, ...], ...]:
    """Return the kept evidence of each annotator, in file order; that of an ignored annotator is empty."""
    return tuple(
        () if record["answer"]["unanswerable"] else tuple(filter(_is_kept, record["answer"]["evidence"]))
        for record in question["answers"]
    )


def _is_kept(evidence: str) -> bool:
    return bool(evidence.strip()) and not evidence.startswith(_FLOAT) and _SECTION not in evidence


def eligible_questions(paper: Paper) -> int:
    """Return the number of a paper's questions with text evidence."""
    return sum(any(text_evidence(question)) for question in paper["qas"])


def mdk_pool(papers: Mapping[str, Paper], *, without: Collection[str] = ()) -> list[str]:
    """Return the ids of all eligible papers, sorted, without those of an earlier study (the pilot's)."""
    return sorted(key for key, paper in papers.items() if key not in without and eligible_questions(paper))


def mdk_sample(pool: Iterable[str], size: int = 300, seed: int = 2027) -> list[str]:
    """Return the study's sample of a sorted pool, in the order in which it was drawn."""
    return random.Random(seed).sample(list(pool), size)  # noqa: S311  # a published sample, not a secret


def build_mdk(papers: Mapping[str, Paper], ids: Iterable[str], *, dialect: Dialect, name: str) -> Dataset:
    """Make the data set of the given papers, in the given order.

    Parameters
    ----------
    papers : mapping
        Papers of the official files by id.
    ids : iterable of str
        The papers to take.
    dialect : str
        How the rendered Markdown is read.
    name : str
        The file or folder, for messages.

    Returns
    -------
    Dataset
        A document a paper; questions in file order, paper by paper; the cluster is the
        paper. Evidence that stands in the Markdown carries its span (in the official
        files all does); other evidence is kept without, since scores by words need none.
    """
    documents: list[Document] = []
    questions: list[Question] = []
    excluded: list[Excluded] = []
    counts: Counter[str] = Counter()
    for id in ids:  # noqa: A001  # the model's own word
        paper = papers[id]
        document = read_markdown(to_markdown(paper), id=id, dialect=dialect)
        documents.append(document)
        for record in paper["qas"]:
            counts.update(_dropped(record))
            question = _question(record, document)
            if question is None:
                reason = "no annotator marked a paragraph of text as evidence"
                excluded.append(Excluded(record["question_id"], f"{name}: paper {id}", reason))
            else:
                questions.append(question)
    funnel = {
        "papers": len(documents),
        "questions in the files": len(questions) + len(excluded),
        "answers marked unanswerable": counts["unanswerable"],
        "evidence dropped: a figure or table": counts["float"],
        "evidence dropped: a section name": counts["section"],
        "evidence dropped: blank": counts["blank"],
        "questions without text evidence": len(excluded),
        "questions": len(questions),
        "evidence texts": sum(len(question.evidence) for question in questions),
        "evidence texts in the Markdown": sum(bool(e.spans) for question in questions for e in question.evidence),
    }
    return Dataset(
        documents=tuple(documents),
        questions=tuple(questions),
        excluded=tuple(excluded),
        funnel=MappingProxyType(funnel),
        pool="document",
        words="study",
    )


def _question(record: PaperQuestion, document: Document) -> Question | None:
    groups = text_evidence(record)
    texts = sorted({text for group in groups for text in group})
    if not texts:
        return None
    evidence = []
    for text in texts:
        span = find_quote(document.text, text)
        evidence.append(Evidence(text, document.id, () if span is None else (span,)))
    return Question(
        id=record["question_id"],
        text=record["question"],
        evidence=tuple(evidence),
        document=document.id,
        cluster=document.id,
        type=question_type(record),
        annotators=tuple(tuple(sorted({texts.index(text) for text in group})) for group in groups),
        answers=reference_answers(record),
    )


def _dropped(record: PaperQuestion) -> Iterable[str]:
    for answer in (wrapper["answer"] for wrapper in record["answers"]):
        if answer["unanswerable"]:
            yield "unanswerable"
            continue
        for evidence in answer["evidence"]:
            if not evidence.strip():
                yield "blank"
            elif evidence.startswith(_FLOAT):
                yield "float"
            elif _SECTION in evidence:
                yield "section"
