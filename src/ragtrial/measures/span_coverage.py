"""How much of each gold span selected chunks cover together (METHODS section 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtrial.measures.intervals import merged, overlap
from ragtrial.measures.spans import Candidate, GoldSpans

__all__ = ["covered", "mean_coverage", "span_recall"]


def covered(selected: Iterable[Candidate], gold: GoldSpans) -> list[int]:
    """Return how many characters of each gold span the union of chunks, or parts of chunks, covers."""
    spans: dict[int, list[tuple[int, int]]] = {document: [] for document in gold.documents}
    for document, own in selected:
        spans[document] += own
    unions = {document: merged(own) for document, own in spans.items()}
    return [overlap(unions[document], piece) for document, piece in zip(gold.documents, gold.spans, strict=True)]


def mean_coverage(covered_characters: Sequence[int], gold: GoldSpans) -> float:
    """Return the mean over gold spans of the covered share, from what `covered` gave."""
    shares = [part / whole for part, whole in zip(covered_characters, gold.sizes, strict=True)]
    return sum(shares) / len(shares)


def span_recall(covered_characters: Sequence[int], gold: GoldSpans) -> float:
    """Return the share of the gold spans of which at least half is covered, from what `covered` gave."""
    found = [2 * part >= whole for part, whole in zip(covered_characters, gold.sizes, strict=True)]
    return sum(found) / len(found)
