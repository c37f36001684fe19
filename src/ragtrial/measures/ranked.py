"""The reciprocal rank of the first relevant chunk (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence

from ragtrial.measures.evidence import Gold
from ragtrial.measures.texts import TextTable

__all__ = ["reciprocal_rank"]


def reciprocal_rank(ranking: Sequence[int], cutoff: int, table: TextTable, gold: Gold) -> float:
    """Return 1 / rank of the first relevant chunk among the first ``cutoff``, else 0.0.

    A chunk is relevant if at least half of its distinct grams are gold; a chunk without words never is.
    """
    for rank, number in enumerate(ranking[:cutoff], start=1):
        grams = table.whole(number).grams
        if grams and 2 * len(grams & gold.grams) >= len(grams):
            return 1 / rank
    return 0.0
