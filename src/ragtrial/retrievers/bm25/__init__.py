"""BM25: the component `BM25` and the index it makes."""

from __future__ import annotations

from ragtrial.retrievers.bm25.index import BM25Index
from ragtrial.retrievers.bm25.retriever import BM25

__all__ = ["BM25", "BM25Index"]
