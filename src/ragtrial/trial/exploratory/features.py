"""One number a question, and where it needs one an arm: what the exploratory analyses cut and count by (METHODS 6).

``overlap``
    The share of the question's terms that stand in its evidence.
``split``
    The share of its located evidence that no single chunk of the arm holds whole.
``missing``
    1 where a term of the question is missing from path and text of the arm's gold chunks; else 0.
``bridged``
    1 where a term of the question is missing from path and text of the arm's gold chunks, and the text put before
    one of them, or behind it, brings it; else 0.
``targeting``
    How many of the question's terms such text of a gold chunk brings, less the mean over the other chunks of its pool.

Gold chunks are those that ``ndcg@10`` takes for relevant. Terms of the section path do not count as
brought: an arm that puts nothing but its path before a chunk has none of the last three.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.measures.intervals import overlap
from ragtrial.measures.span_relevance import relevant_chunks
from ragtrial.measures.spans import Candidate, GoldSpans
from ragtrial.questions.model import Question
from ragtrial.retrievers.sources import Sources
from ragtrial.trial.corpus import Corpus, Pools
from ragtrial.trial.exploratory.terms import terms
from ragtrial.trial.score import span_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Feature", "features", "features_table"]


class Feature(NamedTuple):
    """One value of a question; ``arm`` is None where it depends on no arm, ``value`` where there is none."""

    feature: str
    arm: str | None
    question: str
    value: float | None


def features_table(found: list[Feature]) -> pl.DataFrame:
    """Return features as the table of a record: ``feature, arm, question, value``."""
    import polars as pl

    types = (pl.String, pl.String, pl.String, pl.Float64)
    columns = zip(Feature._fields, types, strict=True)
    return pl.DataFrame(
        {name: pl.Series([row[place] for row in found], dtype=kind) for place, (name, kind) in enumerate(columns)}
    )


def features(corpus: Corpus, arms: Mapping[str, ChunkSet], pool: str, words: str) -> list[Feature]:
    """Return all features of all questions, by feature and arm, questions in their order."""
    wanted = [terms(question.text, words) for question in corpus.questions]
    rows = [_overlap(question, own, words) for question, own in zip(corpus.questions, wanted, strict=True)]
    pools = Pools.of(pool, corpus.documents, corpus.questions)
    number_of = {document.id: number for number, document in enumerate(corpus.documents)}
    gold = [_located(question, number_of) for question in corpus.questions]
    for name, chunks in arms.items():
        table = span_table(Sources.of(chunks), chunks.texts, chunks.prefixes, chunks.suffixes, joiner=chunks.joiner)
        candidates = [None if own is None else (own, table.candidates(own)) for own in gold]
        rows += [
            Feature("split", name, question.id, None if own is None else _split(*own))
            for question, own in zip(corpus.questions, candidates, strict=True)
        ]
        if brings := _Brings.of(chunks, words):
            relevant = [[] if own is None else relevant_chunks(own[1], own[0]) for own in candidates]
            homes = pools.of_documents[chunks.document].tolist()
            rows += _prefix_rows(name, corpus, wanted, relevant, brings, homes, pools.of_questions.tolist())
    return sorted(rows, key=lambda row: (row.feature, list(arms).index(row.arm) if row.arm else -1))


def _overlap(question: Question, wanted: frozenset[str], words: str) -> Feature:
    evidence = frozenset[str]().union(*(terms(text, words) for text in question.evidence_texts))
    return Feature("overlap", None, question.id, len(wanted & evidence) / len(wanted) if wanted else None)


def _located(question: Question, number_of: Mapping[str, int]) -> GoldSpans | None:
    pieces = [(number_of[str(e.document)], e.spans) for e in question.evidence if e.spans and e.document in number_of]
    pieces = [(document, spans) for document, spans in pieces if any(start < end for start, end in spans)]
    return GoldSpans.of(*zip(*pieces, strict=True)) if pieces else None


def _split(gold: GoldSpans, candidates: Mapping[int, Candidate]) -> float:
    whole = [
        any(own.document == document and overlap(own.spans, spans) == size for own in candidates.values())
        for document, spans, size in zip(gold.documents, gold.spans, gold.sizes, strict=True)
    ]
    return 1.0 - sum(whole) / len(whole)


@dataclass(frozen=True)
class _Brings:
    """For each chunk, the terms of its path and text, and those that only the text put before or behind it has."""

    own: list[frozenset[str]]
    brought: list[frozenset[str]]

    @classmethod
    def of(cls, chunks: ChunkSet, words: str) -> _Brings | None:
        """Return None where nothing but the path is put before or behind any chunk."""
        if not chunks.has_added_text:
            return None
        paths = [terms(" ".join(path), words) for path in chunks.paths]
        added = zip(chunks.prefixes, chunks.suffixes, paths, strict=True)
        brought = [(terms(prefix, words) | terms(suffix, words)) - path for prefix, suffix, path in added]
        if not any(brought):
            return None
        own = [path | terms(text, words) for path, text in zip(paths, chunks.texts, strict=True)]
        return cls(own, brought)


def _prefix_rows(  # noqa: PLR0917  # columns of one table
    arm: str,
    corpus: Corpus,
    wanted: list[frozenset[str]],
    relevant: list[list[int]],
    brings: _Brings,
    homes: list[int],
    pools: list[int],
) -> Iterator[Feature]:
    sizes = Counter(homes)
    brought = Counter((home, term) for home, new in zip(homes, brings.brought, strict=True) for term in new)
    for question, own, gold, pool in zip(corpus.questions, wanted, relevant, pools, strict=True):
        others = sizes[pool] - len(gold)
        if not gold or not own:
            yield from (Feature(name, arm, question.id, None) for name in ("missing", "bridged", "targeting"))
            continue
        missing = own.difference(*(brings.own[number] for number in gold))
        yield Feature("missing", arm, question.id, float(bool(missing)))
        yield Feature("bridged", arm, question.id, float(any(missing & brings.brought[number] for number in gold)))
        hits = sum(len(own & brings.brought[number]) for number in gold)
        rest = sum(brought[pool, term] for term in own) - hits
        yield Feature("targeting", arm, question.id, hits / len(gold) - rest / others if others > 0 else None)
