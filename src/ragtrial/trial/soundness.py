"""Trials that cannot answer their question: said before they run, and again in the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.shortfalls import shortfalls
from ragtrial.documents.model import Document
from ragtrial.measures.names import parse_measure
from ragtrial.questions.links.harvest import EXPLORATORY
from ragtrial.statistics.clusters import FEW_CLUSTERS, MIN_CLUSTERS
from ragtrial.text import tokens
from ragtrial.text.words import dropped_share
from ragtrial.trial.analyse import POINT
from ragtrial.trial.build import Built
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["LARGE_EFFECT", "doubts_before", "doubts_from_scores"]

MOSTLY = 0.5
"""A share of chunks, documents or questions above which a doubt is raised."""

LOUD_FAILURES = 0.05
"""A share of failed documents above which it is said loudly (METHODS section 8)."""

LARGE_EFFECT = 0.10
"""No contrast of the two studies between indexing choices was larger: an MDE above it finds nothing plausible."""


def doubts_before(effective: Mapping[str, Any], built: Built) -> list[str]:
    """Return, from documents, questions and chunks alone, a sentence for each reason why the trial may not answer.

    ``effective`` are the effective parameters as a record holds them.
    """
    return [
        *_failures(built),
        *_shortfalls(built),
        *_few_clusters(built),
        *_same_chunks(effective, built),
        *_single_chunks(built),
        *_large_budget(effective, built),
        *_dropped_letters(effective, built),
        *_harvested(built),
    ]


def doubts_from_scores(contrasts: Sequence[Mapping[str, Any]], scores: Scores) -> list[str]:
    """Return, from the outcome, a sentence for each reason why a row says little."""
    return [*_binary_scores(contrasts, scores), *_large_mde(contrasts)]


def _failures(built: Built) -> Iterator[str]:
    if built.failed:
        total = len(built.failed) + len(built.corpus.documents)
        share = len(built.failed) / total
        loud = "WARNING: " if share > LOUD_FAILURES else ""
        first, reason = next(iter(built.failed.items()))
        yield (
            f"{loud}{len(built.failed):,} of {total:,} documents ({share:.1%}) failed in some arm and left all arms "
            f"with their questions; the first: {first} ({reason})."
        )


def _shortfalls(built: Built) -> Iterator[str]:
    arms: dict[str, list[str]] = {}
    for name, chunks in built.chunks.items():
        for sentence in shortfalls([chunks.reports]):
            arms.setdefault(sentence, []).append(name)
    for sentence, names in arms.items():
        yield f"{', '.join(names)}: {sentence}"


def _few_clusters(built: Built) -> Iterator[str]:
    clusters = len({question.cluster for question in built.corpus.questions})
    if clusters < MIN_CLUSTERS:
        yield f"Only {clusters} of the {MIN_CLUSTERS} clusters that an interval needs: nothing can be decided."
    elif clusters < FEW_CLUSTERS:
        yield f"There are only {clusters} clusters; under {FEW_CLUSTERS} the intervals are too narrow."


def _same_chunks(effective: Mapping[str, Any], built: Built) -> Iterator[str]:
    seen: dict[str, Counter[object]] = {}
    for name, contrast in effective["contrasts"].items():
        if contrast["a"] == contrast["b"] or not {contrast["a"], contrast["b"]} <= built.chunks.keys():
            continue  # two retrievers on one arm, an average of arms, or an arm that is paid for and was not made
        for arm in (contrast["a"], contrast["b"]):
            if arm not in seen:
                seen[arm] = _identities(built.chunks[arm])
        a, b = seen[contrast["a"]], seen[contrast["b"]]
        share = (a & b).total() / max(a.total(), b.total())
        if share > MOSTLY:
            yield (
                f"{name}: {share:.0%} of the chunks of {contrast['a']!r} and {contrast['b']!r} are the same spans with "
                "the same text added, so they can hardly differ; where documents are short, all chunkers are equal."
            )


def _identities(chunks: ChunkSet) -> Counter[object]:
    starts, ends = chunks.starts.tolist(), chunks.ends.tolist()
    first = chunks.offsets.tolist()
    return Counter(
        (document, starts[first[n]], ends[first[n + 1] - 1], chunks.prefixes[n], chunks.suffixes[n])
        for n, document in enumerate(chunks.document.tolist())
    )


def _single_chunks(built: Built) -> Iterator[str]:
    for arm, chunks in built.chunks.items():
        counts = np.bincount(chunks.document)
        share = float((counts[counts > 0] == 1).mean())
        if share > MOSTLY:
            yield f"{share:.0%} of the documents are a single chunk in the arm {arm!r}: no boundary matters there."


def _large_budget(effective: Mapping[str, Any], built: Built) -> Iterator[str]:
    primary = parse_measure(effective["primary"])
    if primary.unit != "tokens":
        return
    documents = built.corpus.documents
    if effective["pool"] == "document":
        fits = {document.id: _fits([document], primary.cutoff) for document in documents}
        asked = [fits[str(question.document)] for question in built.corpus.questions]
        share = sum(asked) / len(asked)
        what = f"{share:.0%} of the questions have their whole document"
    else:
        share = float(_fits(documents, primary.cutoff))
        what = "All documents together fit"
    if share > MOSTLY:
        yield f"{what} inside the budget of {primary.cutoff:,} tokens, where every arm finds everything."


def _dropped_letters(effective: Mapping[str, Any], built: Built) -> Iterator[str]:
    users = [name for name, row in effective["retrievers"].items() if row.get("words") == "study"]
    users += ["the measures"] if effective["words"] == "study" else []
    if not users:
        return
    sizes = [len(document.text) for document in built.corpus.documents]
    lost = [dropped_share(document.text) * len(document.text) for document in built.corpus.documents]
    share = sum(lost) / max(sum(sizes), 1)
    if share > MOSTLY:
        yield (
            f"The words 'study' know [a-z0-9] only and drop {share:.0%} of the letters of these documents, in "
            f'{", ".join(users)}: use words = "unicode".'
        )


def _harvested(built: Built) -> Iterator[str]:
    if count := built.corpus.harvested:
        yield f"{count:,} of {len(built.corpus.questions):,} questions: {EXPLORATORY}"


def _fits(documents: Sequence[Document], budget: int) -> bool:
    # No text has twenty characters a token on average: what is longer need not be counted.
    if sum(len(document.text) for document in documents) > 20 * budget:
        return False
    return sum(tokens.count(document.text) for document in documents) <= budget


def _binary_scores(contrasts: Sequence[Mapping[str, Any]], scores: Scores) -> Iterator[str]:
    cells = dict.fromkeys((*cell, row["measure"]) for row in contrasts for cell in sides(row))
    for arm, retriever, measure in cells:
        values = scores.of(arm, retriever, measure)
        for level, word in ((0.0, "0"), (1.0, "1")):
            if (values == level).all():
                yield f"Every question scores {word} in {measure} for {arm!r} under {retriever!r}."


def _large_mde(contrasts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in contrasts:
        if row["mde"] is not None and row["mde"] > LARGE_EFFECT:
            yield (
                f"{row['name']}: differences under {row['mde'] / POINT:.0f} points would be missed more often than one "
                "time in five, and indexing choices rarely differ by more: more questions or documents are needed."
            )
