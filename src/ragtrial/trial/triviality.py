"""Whether questions are lexically trivial: how often plain BM25 puts a chunk with the evidence first (METHODS 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragtrial.chunkers.headers import Headers
from ragtrial.documents.model import Document
from ragtrial.measures.evidence import Gold
from ragtrial.measures.names import parse_measure
from ragtrial.questions.model import Question
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.corpus import Corpus, Pools
from ragtrial.trial.score import Condition, score_condition

__all__ = ["Triviality", "lexical_triviality"]


@dataclass(frozen=True)
class Triviality:
    """How many questions of a type have their evidence in BM25's first chunk, as shares, in either pool."""

    type: str
    questions: int
    in_document: float
    in_corpus: float


def lexical_triviality(documents: Sequence[Document], questions: Sequence[Question]) -> list[Triviality]:
    """Return a row for each type of question, in the order in which types come, and one for all, called "all".

    Chunks are those of ``headers``, ranked by ``bm25`` with the question's own words. The first chunk counts if it
    covers at least half of a piece of evidence, or lies in one with at least four fifths of itself. The published
    shares (36.3% and 22.7%) are of rankings inside the question's document.

    Parameters
    ----------
    documents : sequence of Document
    questions : sequence of Question
        With the places of their evidence, and the document that each is about.
    """
    if not questions:
        return []
    corpus = Corpus(tuple(documents), tuple(questions), (), ())
    shares = {pool: _first_is_gold(corpus, pool) for pool in ("document", "corpus")}
    types = np.array([question.type or "" for question in questions])
    groups = {kind: types == kind for kind in dict.fromkeys(types.tolist())}
    groups["all"] = np.ones(len(types), dtype=bool)
    return [
        Triviality(
            kind,
            int(chosen.sum()),
            float(shares["document"][chosen].mean()),
            float(shares["corpus"][chosen].mean()),
        )
        for kind, chosen in groups.items()
    ]


def _first_is_gold(corpus: Corpus, pool: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    pools = Pools.of(pool, corpus.documents, corpus.questions)
    chunks = Headers().chunk_documents(corpus.documents)
    condition = Condition(
        retriever=BM25(),
        texts=chunks.texts,
        prefixes=chunks.prefixes,
        suffixes=chunks.suffixes,
        joiner=chunks.joiner,
        sources=Sources.of(chunks),
        chunk_pools=pools.of_documents[chunks.document],
        queries=tuple(question.text for question in corpus.questions),
        query_pools=pools.of_questions,
        gold=tuple(Gold.of(question.evidence_groups, "unicode") for question in corpus.questions),
        gold_spans=corpus.gold_spans(),
        measures=(parse_measure("span-mrr@1"),),
        words="unicode",
        keep=1,
        withheld=corpus.withheld(corpus.questions),
    )
    return score_condition(condition).values[:, 0]
