"""A question and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ragtrial.documents.parts import Span

__all__ = ["HARVESTED", "Evidence", "Excluded", "Place", "Question"]

HARVESTED = "links"
"""The origin of questions that were harvested from the documents' own links: their results stay exploratory."""


class Place(NamedTuple):
    """A half-open range of characters of a document."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence: a text that answers the question, wholly or in part.

    Parameters
    ----------
    text : str
        The text as it was quoted, or the text of its span.
    document : str, optional
        The id of the document in which it stands; None where that is not known.
    spans : tuple of Span
        Where it stands on the document's text, in characters; all of them together
        are the evidence. Empty where it was not located.
    """

    text: str
    document: str | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the evidence that a retriever should find.

    Parameters
    ----------
    id : str
        Unique in a trial.
    text : str
        The question.
    evidence : tuple of Evidence
        Not empty: the union over all annotators.
    document : str, optional
        The document that the question is about; the pool of within-document retrieval.
    cluster : str
        The unit of resampling: questions of one cluster are not independent.
    type, stratum : str, optional
        Groups to report by, and to resample within.
    annotators : tuple of tuple of int
        For each annotator the indices of his evidence; an annotator who marked none has
        an empty tuple. Empty if one set of evidence stands for all.
    answers : tuple of str
        Reference answers, the first of which is taken for the accepted one; empty if none is known.
    nuggets : tuple of str
        The facts that a good answer states; empty if none are known.
    withheld : tuple of Place
        Text that is out of the pool for this question, such as the paragraph that a harvested
        question was taken from: chunks that overlap it are left out of its ranking.
    origin : str, optional
        Where the question comes from, if not from a person: "links" (see `HARVESTED`) or "model".
    """

    id: str
    text: str
    evidence: tuple[Evidence, ...]
    document: str | None
    cluster: str
    type: str | None = None
    stratum: str | None = None
    annotators: tuple[tuple[int, ...], ...] = ()
    answers: tuple[str, ...] = ()
    nuggets: tuple[str, ...] = ()
    withheld: tuple[Place, ...] = ()
    origin: str | None = None

    @property
    def evidence_texts(self) -> tuple[str, ...]:
        """The texts of all evidence."""
        return tuple(evidence.text for evidence in self.evidence)

    @property
    def evidence_groups(self) -> tuple[tuple[str, ...], ...]:
        """The texts by annotator, without annotators who marked none; one group if none are known."""
        texts = self.evidence_texts
        groups = tuple(tuple(texts[index] for index in group) for group in self.annotators if group)
        return groups or (texts,)


class Excluded(NamedTuple):
    """A question that is not asked: its id, the place where it was read, and why."""

    id: str
    where: str
    reason: str
