"""Dense retrieval: the component `Dense` and the index it makes."""

from __future__ import annotations

from ragtrial.retrievers.dense.index import DenseIndex
from ragtrial.retrievers.dense.retriever import Dense

__all__ = ["Dense", "DenseIndex"]
