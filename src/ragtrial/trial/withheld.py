"""Text that is out of a question's pool: chunks that overlap it leave the ranking before anything is scored.

A harvested question is a sentence of some paragraph. Wherever that paragraph is indexed, it is the best match of its
own sentence, and no retriever should be praised for finding it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TypeAlias

import numpy as np

from ragtrial.retrievers.ranking import Ranking, offsets_of
from ragtrial.retrievers.sources import Sources

__all__ = ["Withheld", "without_withheld"]

Withheld: TypeAlias = tuple[tuple[tuple[int, int, int], ...], ...]
"""For each question the ranges that are withheld: number of the document, start, end. () if there are none at all."""


def without_withheld(
    ranking: Ranking, sources: Sources, withheld: Sequence[tuple[tuple[int, int, int], ...]]
) -> Ranking:
    """Return a ranking without the chunks that overlap what is withheld from each question."""
    if not any(withheld):
        return ranking
    chunk_of = np.repeat(np.arange(len(sources)), np.diff(sources.offsets))
    document_of = sources.document[chunk_of]
    overlaps: dict[tuple[int, int, int], list[int]] = {}
    for document, start, end in set(chain(*withheld)):
        found = (document_of == document) & (sources.starts < end) & (sources.ends > start)
        overlaps[document, start, end] = chunk_of[found].tolist()
    kept = np.ones(len(ranking.chunks), dtype=np.bool_)
    for question, places in enumerate(withheld):
        out = [chunk for place in places for chunk in overlaps[place]]
        rows = slice(ranking.offsets[question], ranking.offsets[question + 1])
        kept[rows] = ~np.isin(ranking.chunks[rows], out)
    # Sums over rows of a question, some of which may have none.
    before = offsets_of(kept)
    lengths = np.diff(before[ranking.offsets])
    return Ranking(offsets_of(lengths), ranking.chunks[kept], ranking.scores[kept])
