"""The reciprocal rank of the first relevant chunk (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from ragtrial.measures.evidence import Gold
from ragtrial.measures.grams import Piece
from ragtrial.measures.texts import TextTable

__all__ = ["is_relevant", "reciprocal_rank"]


def reciprocal_rank(ranking: Sequence[int], cutoff: int, table: TextTable, gold: Gold) -> float:
    """Return 1 / rank of the first relevant chunk among the first ``cutoff``, else 0.0."""
    for rank, number in enumerate(ranking[:cutoff], start=1):
        if is_relevant(table.whole(number), gold):
            return 1 / rank
    return 0.0


def is_relevant(chunk: Piece, gold: Gold) -> bool:
    """Tell whether at least half of a chunk's distinct grams are gold; a chunk without words never is relevant."""
    return bool(chunk.grams) and 2 * len(chunk.grams & gold.grams) >= len(chunk.grams)
