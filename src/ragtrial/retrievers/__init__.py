"""How chunks are ranked: one small file a retriever, one line here."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["RETRIEVERS"]

RETRIEVERS = Registry(
    "retriever",
    {
        "bm25": "ragtrial.retrievers.bm25:BM25",
        "dense": "ragtrial.retrievers.dense:Dense",
        "expand": "ragtrial.retrievers.expand:Expand",
        "late": "ragtrial.retrievers.late:Late",
        "rerank": "ragtrial.retrievers.rerank:Rerank",
        "routed": "ragtrial.retrievers.routed:Routed",
        "rrf": "ragtrial.retrievers.fusion:RRF",
        "weighted": "ragtrial.retrievers.fusion:Weighted",
    },
)
