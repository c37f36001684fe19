"""How chunks are ranked: one small file a retriever, one line here."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["RETRIEVERS"]

RETRIEVERS = Registry("retriever", {"bm25": "ragtrial.retrievers.bm25:BM25"})
