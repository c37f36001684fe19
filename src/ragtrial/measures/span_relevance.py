"""Which chunks are relevant to the evidence, and the measures that only ask for that (METHODS section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ragtrial.measures.coverage_ndcg import dcg
from ragtrial.measures.intervals import overlap, size
from ragtrial.measures.spans import Candidate, GoldSpans

__all__ = ["relevant_chunks", "span_mrr", "span_ndcg"]


def relevant_chunks(candidates: Mapping[int, Candidate], gold: GoldSpans) -> list[int]:
    """Return the numbers of the relevant chunks, ascending: the judgements of one question.

    A chunk is relevant if for any gold span it covers at least half of the span, or at least four fifths of the chunk
    lie in the span.
    """
    return [number for number, chunk in candidates.items() if _is_relevant(chunk, gold)]


def _is_relevant(chunk: Candidate, gold: GoldSpans) -> bool:
    length = size(chunk.spans)
    shares = (
        (overlap(chunk.spans, spans), span_length)
        for document, spans, span_length in zip(gold.documents, gold.spans, gold.sizes, strict=True)
        if document == chunk.document
    )
    # Whole numbers, so that exactly half is half.
    return any(shared and (2 * shared >= span or 5 * shared >= 4 * length) for shared, span in shares)


def span_mrr(ranking: npt.NDArray[np.int64], relevant: Sequence[int], cutoff: int | None = None) -> float:
    """Return 1 / rank of the first relevant chunk, of all ranked ones or of the first ``cutoff``; 0.0 if there is none.

    Parameters
    ----------
    ranking : int64 array
        Chunk numbers, best first.
    relevant : sequence of int
        `relevant_chunks`.
    cutoff : int, optional
        In chunks.
    """
    hits = np.flatnonzero(np.isin(ranking[:cutoff], np.asarray(relevant, dtype=np.int64)))
    return 1 / (int(hits[0]) + 1) if len(hits) else 0.0


def span_ndcg(ranking: Sequence[int], relevant: Sequence[int], cutoff: int) -> float:
    """Return the binary nDCG; the ideal has all relevant chunks of the condition's own set at the top; 0.0 without any.

    Parameters are those of `span_mrr`.
    """
    wanted = set(relevant)
    ideal = dcg([1.0] * min(cutoff, len(wanted)))
    return dcg(float(number in wanted) for number in ranking[:cutoff]) / ideal if ideal else 0.0
