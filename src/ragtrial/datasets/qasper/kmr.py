"""QASPER as in Kuehlkamp, Moreira and Rund 2026 (KMR): flat text, evidence by spans (METHODS sections 1 and 7).

All splits together; every paper is a document, with or without questions, and all compete for a question. Evidence is
kept if it is not blank and does not start with "FLOAT SELECTED"; annotators who marked the question unanswerable are
ignored. A question's evidence is the union of its annotators' strings, each with its own span, in the order of the
text: two strings may name one place (a section and its only paragraph). A question without evidence is left out. No
filter drops numeric answers, since none is needed for the published counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from ragtrial.datasets.model import Dataset
from ragtrial.datasets.qasper.answers import question_type, reference_answers
from ragtrial.datasets.qasper.evidence import Finder, Found
from ragtrial.datasets.qasper.files import Paper, PaperQuestion
from ragtrial.datasets.qasper.flat import to_flat
from ragtrial.datasets.qasper.papers import read_papers
from ragtrial.documents.markdown.reader import Dialect
from ragtrial.documents.model import Document
from ragtrial.questions.model import Evidence, Excluded, Question

__all__ = ["SPLITS", "build_kmr", "kept_evidence", "load_kmr"]

SPLITS = ("dev", "test", "train")

_FLOAT = "FLOAT SELECTED"


def load_kmr(path: Path, ids: list[str] | None, dialect: Dialect) -> Dataset:  # noqa: ARG001  # flat text has no dialect
    """Load the data set: the papers of a selection in its order, or all, sorted by id."""
    papers, files = read_papers(path, SPLITS, ids, protocol="kmr")
    dataset = build_kmr(papers, sorted(papers) if ids is None else ids, name=str(path))
    return replace(dataset, meta=MappingProxyType({"files": ", ".join(file.name for file in files)}))


def kept_evidence(question: PaperQuestion) -> tuple[tuple[str, ...], ...]:
    """Return the kept evidence of each annotator, in file order; that of an ignored annotator is empty."""
    return tuple(
        ()
        if record["answer"]["unanswerable"]
        else tuple(text for text in record["answer"]["evidence"] if text.strip() and not text.startswith(_FLOAT))
        for record in question["answers"]
    )


def build_kmr(papers: Mapping[str, Paper], ids: Iterable[str], *, name: str, threshold: float = 90.0) -> Dataset:
    """Make the data set of the given papers, in the given order.

    Parameters
    ----------
    papers : mapping
        Papers of the official files by id.
    ids : iterable of str
        The papers to take.
    name : str
        The file or folder, for messages.
    threshold : float
        The least similarity of a fuzzy match, 0 to 100; see `Finder`. In the official files nothing
        needs one: all that is no paragraph is a section's name, and no paragraph is over 54 like one.

    Returns
    -------
    Dataset
        A document a paper; questions in file order, paper by paper; the cluster is the
        paper. Every piece of evidence has a span and the text of that span. The funnel
        counts pieces of evidence, and annotators' entries, in which a piece that
        two annotators marked is there twice: the published share of exact ones is of entries.
    """
    documents: list[Document] = []
    questions: list[Question] = []
    excluded: list[Excluded] = []
    counts: Counter[str] = Counter()
    for id in ids:  # noqa: A001  # the model's own word
        paper = papers[id]
        flat = to_flat(paper, id)
        documents.append(flat.document)
        counts["sections"] += len(flat.document.sections)
        counts["empty"] += len(flat.empty)
        finder = Finder(flat, threshold)
        for record in paper["qas"]:
            counts["asked"] += 1
            asked = _question(record, flat.document, finder, counts)
            if isinstance(asked, Question):
                questions.append(asked)
            else:
                excluded.append(Excluded(record["question_id"], f"{name}: paper {id}", asked))
    return Dataset(
        documents=tuple(documents),
        questions=tuple(questions),
        excluded=tuple(excluded),
        funnel=MappingProxyType(_funnel(documents, questions, counts)),
        pool="corpus",
        words="unicode",
    )


def _question(record: PaperQuestion, document: Document, finder: Finder, counts: Counter[str]) -> Question | str:
    """Return the question, or the reason why it is left out."""
    groups = kept_evidence(record)
    texts = sorted({text for group in groups for text in group})
    if not texts:
        counts["no evidence"] += 1
        if all(answer["answer"]["unanswerable"] for answer in record["answers"]):
            return "every annotator marked it unanswerable"
        return "no annotator marked a paragraph or a section as evidence"
    found = {text: place for text in texts if (place := finder.find(text)) is not None}
    counts["not located"] += len(texts) - len(found)
    if not found:
        counts["nothing located"] += 1
        return f"no evidence of it is in the text of the paper: {'; '.join(text[:60] for text in texts)}"
    for place in found.values():
        counts[place.how] += 1
    entries = [found[text] for group in groups for text in group if text in found]
    counts["entries"] += sum(len(group) for group in groups)
    counts["exact entries"] += sum(place.how == "exact" for place in entries)
    order = sorted(found, key=lambda text: (found[text].span, text))
    return Question(
        id=record["question_id"],
        text=record["question"],
        evidence=tuple(_evidence(document, found[text]) for text in order),
        document=document.id,
        cluster=document.id,
        type=question_type(record),
        annotators=tuple(tuple(sorted({order.index(text) for text in group if text in found})) for group in groups),
        answers=reference_answers(record),
    )


def _evidence(document: Document, found: Found) -> Evidence:
    return Evidence(document.text[found.span.start : found.span.end], document.id, (found.span,))


def _funnel(documents: list[Document], questions: list[Question], counts: Counter[str]) -> dict[str, int]:
    return {
        "papers": len(documents),
        "sections": counts["sections"],
        "section names without a paragraph": counts["empty"],
        "questions in the files": counts["asked"],
        "questions without evidence": counts["no evidence"],
        "questions whose evidence is not in the text": counts["nothing located"],
        "questions": len(questions),
        "papers with questions": len({question.document for question in questions}),
        "evidence": sum(len(question.evidence) for question in questions),
        "evidence located exactly": counts["exact"],
        "evidence located fuzzily": counts["fuzzy"],
        "evidence located by section": counts["section"],
        "evidence located by the next section": counts["next section"],
        "evidence not located": counts["not located"],
        "annotators' evidence entries": counts["entries"],
        "annotators' evidence entries located exactly": counts["exact entries"],
    }
