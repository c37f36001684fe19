"""What a data set gives to a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ragtrial.documents.model import Document
from ragtrial.questions.model import Excluded, Question

__all__ = ["Dataset"]


@dataclass(frozen=True)
class Dataset:
    """Documents and questions that belong together.

    Parameters
    ----------
    documents : tuple of Document
        In the order in which chunks are made and ties are kept.
    questions : tuple of Question
        The questions that are asked.
    excluded : tuple of Excluded
        The others of these documents, each with the place it was read and the reason.
    funnel : mapping of str to int
        Counts from what was read to what is asked, in that order.
    meta : mapping of str to str
        What the data set is, its licence and source, and how it was read.
    pool : {"document", "group", "corpus"}
        Which chunks compete for a question under the data set's protocol.
    words : {"unicode", "study"}
        How measures split text into words under that protocol.
    """

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    excluded: tuple[Excluded, ...] = ()
    funnel: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    meta: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    pool: str = "corpus"
    words: str = "unicode"
