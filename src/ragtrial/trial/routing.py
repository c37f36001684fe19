"""Routed retrieval's own diagnostic: did the first stage keep a section with the evidence (METHODS section 4)?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ragtrial.measures.spans import GoldSpans
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.fusion.base import FusedIndex
from ragtrial.retrievers.rerank import RerankedIndex
from ragtrial.retrievers.routed import Routed, RoutedIndex, found_sections
from ragtrial.retrievers.sources import Sources
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.trial.cells import Cell

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_routed", "kept_evidence", "routing_rows", "routing_table"]

Found = npt.NDArray[np.bool_]
"""For each question, whether a section that its evidence overlaps was kept."""


def is_routed(retriever: Retriever) -> bool:
    """Tell whether a retriever, or one that it is made of, goes by sections first."""
    return any(isinstance(part, Routed) for part in retriever_tree(retriever))


def kept_evidence(
    index: Index, sources: Sources, queries: Sequence[str], query_pools: npt.ArrayLike, gold: Sequence[GoldSpans]
) -> Found | None:
    """Return the diagnostic of the first two-stage index that an index is made of; None where there is none."""
    routed = _routed_index(index)
    if routed is None:
        return None
    wanted = [
        {
            section
            for document, spans in zip(question.documents, question.spans, strict=True)
            for section in sources.sections_with(document, spans)
        }
        for question in gold
    ]
    return found_sections(routed.kept(queries, query_pools), wanted)


def routing_rows(found: Mapping[Cell, Found]) -> list[dict[str, Any]]:
    """Return for each routed condition on how many questions the first stage kept the evidence."""
    return [
        {"arm": arm, "retriever": retriever, "questions": len(kept), "found": int(kept.sum())}
        for (arm, retriever), kept in found.items()
    ]


def routing_table(found: Mapping[Cell, Found], questions: Sequence[str]) -> pl.DataFrame:
    """Return one row per routed condition and question."""
    import polars as pl

    schema = {"question": pl.String, "arm": pl.String, "retriever": pl.String, "found": pl.Boolean}
    tables = [
        pl.DataFrame({"question": list(questions), "found": kept})
        .with_columns(pl.lit(arm).alias("arm"), pl.lit(retriever).alias("retriever"))
        .select(list(schema))
        for (arm, retriever), kept in found.items()
    ]
    return pl.concat([pl.DataFrame(schema=schema), *tables])


def _routed_index(index: Index) -> RoutedIndex | None:
    if isinstance(index, RoutedIndex):
        return index
    if isinstance(index, RerankedIndex):
        return _routed_index(index.base)
    if isinstance(index, FusedIndex):
        return _routed_index(index.first) or _routed_index(index.second)
    return None
