"""The first stage: documents and questions, with everything that was left out named."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ragtrial.datasets.registry import load_dataset
from ragtrial.documents.folder import Skipped, read_folder
from ragtrial.documents.model import Document
from ragtrial.errors import ConfigError, DataError
from ragtrial.measures.spans import GoldSpans
from ragtrial.questions.load import read_questions
from ragtrial.questions.model import HARVESTED, Excluded, Question
from ragtrial.retrievers.tuning import split_documents
from ragtrial.trial.config import Trial
from ragtrial.trial.hashing import document_sha256, sha256
from ragtrial.trial.withheld import Withheld

__all__ = ["Corpus", "Pools", "ReadDocuments", "load_corpus"]

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """What a trial is run on.

    ``excluded`` are the questions that are not asked, ``skipped`` the files that were
    not read, each with its reason; ``folded`` and ``ambiguous`` the questions with a quote that
    was found only after folding white space, or in several places, ``fuzzy`` those with one that stands
    nowhere, so that the text most like it was taken, and ``unread`` the columns of the questions file that mean
    nothing here. ``pool`` and ``words`` are
    what the data set's protocol prescribes; the trial's own keys win over them. ``held_out``
    are the questions that weights are tuned on, and that are not scored.
    """

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    excluded: tuple[Excluded, ...]
    skipped: tuple[tuple[str, str], ...]
    folded: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    fuzzy: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    pool: str = "corpus"
    words: str = "unicode"
    source: Mapping[str, Any] | None = None
    held_out: tuple[Question, ...] = ()

    @cached_property
    def items(self) -> dict[str, dict[str, str]]:
        """The sha256 of each document, and of each question with its evidence, by id."""
        return {
            "documents": {document.id: document_sha256(document) for document in self.documents},
            "questions": {question.id: sha256(_content(question)) for question in (*self.questions, *self.held_out)},
        }

    @property
    def harvested(self) -> int:
        """How many questions were harvested from links, whose results are never more than exploratory."""
        return sum(question.origin == HARVESTED for question in self.questions)

    def identity(self) -> dict[str, str]:
        """Return one sha256 over all documents and one over all questions, in their order."""
        return {f"{kind}_sha256": sha256(list(items.items())) for kind, items in self.items.items()}

    def without(self, failed: Mapping[str, str]) -> Corpus:
        """Return the corpus without the documents that failed in some arm, and without their questions.

        ``failed`` maps a document's id to the reason. A question leaves with any document
        that holds its evidence, since it could not be answered under every arm.
        """
        if not failed:
            return self
        lost = {q.id: next((d for d in _documents_of(q) if d in failed), None) for q in self.questions}
        excluded = [
            Excluded(question, str(document), f"its document failed: {failed[document]}")
            for question, document in lost.items()
            if document is not None
        ]
        return replace(
            self,
            documents=tuple(d for d in self.documents if d.id not in failed),
            questions=tuple(q for q in self.questions if lost[q.id] is None),
            held_out=tuple(q for q in self.held_out if not any(d in failed for d in _documents_of(q))),
            excluded=(*self.excluded, *excluded),
        )

    @property
    def located(self) -> bool:
        """Whether every piece of evidence has its place in a document of the corpus."""
        known = {document.id for document in self.documents}
        return all(piece.spans and piece.document in known for q in self.questions for piece in q.evidence)

    def gold_spans(self) -> tuple[GoldSpans, ...]:
        """Return each question's evidence as spans of numbered documents, for measures that need its place."""
        number_of = {document.id: number for number, document in enumerate(self.documents)}
        lost = [q.id for q in self.questions if any(not e.spans or e.document not in number_of for e in q.evidence)]
        if lost:
            raise DataError(
                f"{len(lost):,} questions have evidence that was not located in a document, which measures of spans "
                f"need: {', '.join(lost[:5])}{' ...' if len(lost) > 5 else ''}.",
                hint="Use measures on texts, such as recall@512t, or give these questions evidence with its place.",
            )
        return tuple(
            GoldSpans.of([number_of[str(e.document)] for e in q.evidence], [e.spans for e in q.evidence])
            for q in self.questions
        )

    def withheld(self, questions: Sequence[Question]) -> Withheld:
        """Return what is out of the pool of each question, as ranges of numbered documents; () if there is nothing."""
        if not any(question.withheld for question in questions):
            return ()
        number_of = {document.id: number for number, document in enumerate(self.documents)}
        return tuple(
            tuple((number_of[place.document], *place[1:]) for place in question.withheld if place.document in number_of)
            for question in questions
        )

    def summary(self) -> dict[str, Any]:
        """Return the counts and the exclusions as they stand in a record."""
        clusters = Counter(question.cluster for question in self.questions)
        return {
            "documents": len(self.documents),
            "documents_without_text": [d.id for d in self.documents if not d.text.strip("\ufeff \t\r\n")],
            "characters": sum(len(document.text) for document in self.documents),
            "questions": len(self.questions),
            "evidence": sum(len(question.evidence) for question in self.questions),
            "clusters": len(clusters),
            "held_out": [question.id for question in self.held_out],
            "excluded_questions": [item._asdict() for item in self.excluded],
            "questions_found_folded": list(self.folded),
            "questions_found_twice": list(self.ambiguous),
            "questions_found_by_likeness": list(self.fuzzy),
            "question_columns_unread": list(self.unread),
            "questions_harvested": self.harvested,
            "question_types": {q.id: q.type for q in self.questions if q.type is not None},
            "skipped_files": [{"path": path, "reason": reason} for path, reason in self.skipped],
        }


@dataclass(frozen=True)
class Pools:
    """Which documents compete for which questions: pool numbers by document and by question."""

    of_documents: Numbers
    of_questions: Numbers

    @classmethod
    def of(cls, kind: str, documents: Sequence[Document], questions: Sequence[Question]) -> Pools:
        """Number the pools: all one (``corpus``), one a document, or one a group of documents.

        A document's group is ``group`` in its metadata, else the first folder of its id.
        """
        number_of = {document.id: number for number, document in enumerate(documents)}
        if kind == "corpus":
            pools = np.zeros(len(documents), dtype=np.int64)
            return cls(pools, np.zeros(len(questions), dtype=np.int64))
        if homeless := [question.id for question in questions if question.document not in number_of]:
            raise DataError(
                f"With pool = {kind!r} every question needs its document, and {len(homeless)} have none in the corpus: "
                f"{', '.join(homeless[:5])}{' ...' if len(homeless) > 5 else ''}.",
                hint="Give each question a 'document', or use pool = \"corpus\".",
            )
        if kind == "document":
            pools = np.arange(len(documents), dtype=np.int64)
        else:
            names: dict[str, int] = {}
            pools = np.array([names.setdefault(_group(d), len(names)) for d in documents], dtype=np.int64)
        return cls(pools, pools[[number_of[str(question.document)] for question in questions]])


def _content(question: Question) -> dict[str, Any]:
    """Return what retrieval is scored on: answers are an input of their own, which a trial may do without."""
    content = {key: value for key, value in asdict(question).items() if key not in ("answers", "nuggets")}
    return {key: value for key, value in content.items() if value or key not in ("origin", "withheld")}


def _documents_of(question: Question) -> tuple[str, ...]:
    named = (question.document, *(evidence.document for evidence in question.evidence))
    return tuple(document for document in named if document is not None)


def _group(document: Document) -> str:
    named = document.meta.get("group")
    return str(named) if named is not None else document.id.partition("/")[0]


class ReadDocuments(NamedTuple):
    """The documents of a trial, and the files that were not read."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...]


def load_corpus(trial: Trial, read: ReadDocuments | None = None) -> Corpus:
    """Read the documents and questions of a trial, or its data set.

    ``read``: what the trial's own keys find in its folders, if that was read already.
    """
    corpus = _from_dataset(trial) if trial.dataset is not None else _from_files(trial, read)
    if trial.held_out is not None:
        corpus = _split(corpus, trial.held_out.share, trial.held_out.seed)
    if not corpus.questions:
        reasons = "; ".join(f"{item.id}: {item.reason}" for item in corpus.excluded[:3])
        raise DataError(
            f"No question is left to ask{f' ({len(corpus.excluded)} were excluded: {reasons})' if reasons else ''}.",
            hint="A trial needs questions whose evidence stands in its documents.",
        )
    return corpus


def _split(corpus: Corpus, share: float, seed: int) -> Corpus:
    """Take whole clusters of questions, drawn at random, out of what is scored."""
    drawn = set(split_documents([question.cluster for question in corpus.questions], share, seed)[0])
    return replace(
        corpus,
        questions=tuple(q for q in corpus.questions if q.cluster not in drawn),
        held_out=tuple(q for q in corpus.questions if q.cluster in drawn),
    )


def _from_dataset(trial: Trial) -> Corpus:
    source = trial.dataset
    assert source is not None
    options: dict[str, object] = source.model_dump(exclude={"reader"}, exclude_none=True)
    options |= {key: trial.resolve(str(options[key])) for key in ("path", "select", "questions") if key in options}
    dataset = load_dataset(source.reader, **options)
    return Corpus(
        documents=dataset.documents,
        questions=dataset.questions,
        excluded=dataset.excluded,
        skipped=(),
        pool=dataset.pool,
        words=dataset.words,
        source=dict(dataset.meta) | {"funnel": dict(dataset.funnel)},
    )


def _from_files(trial: Trial, read: ReadDocuments | None) -> Corpus:
    if trial.documents is None or trial.questions is None:
        raise ConfigError("The trial names no documents or no questions.")
    documents, skipped = read or _read_documents(trial, trial.documents)
    asked = read_questions(trial.resolve(trial.questions), documents)
    return Corpus(
        documents=documents,
        questions=tuple(asked.questions),
        excluded=tuple(asked.excluded),
        skipped=tuple((str(item.path), item.cause) for item in skipped),
        folded=tuple(asked.folded),
        ambiguous=tuple(asked.ambiguous),
        fuzzy=asked.fuzzy,
        unread=asked.unread,
    )


def _read_documents(trial: Trial, roots: str | list[str]) -> ReadDocuments:
    reading = read_folder(
        [_direct(trial.resolve(root)) for root in ([roots] if isinstance(roots, str) else roots)],
        include=trial.include,
        exclude=trial.exclude,
        dialect=trial.dialect,
        encoding=trial.encoding,
        read_as=trial.read_as,
    )
    return ReadDocuments(tuple(reading), reading.skipped)


def _direct(path: Path) -> Path:
    """Return a path without ``x/..`` where that is the same place, which behind a link it need not be."""
    direct = Path(os.path.normpath(path))
    return direct if path.exists() and direct.exists() and direct.samefile(path) else path
