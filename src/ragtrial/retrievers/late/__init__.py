"""Late chunking: the component `Late` and the token vectors that it pools."""

from __future__ import annotations

from ragtrial.retrievers.late.retriever import Late

__all__ = ["Late"]
