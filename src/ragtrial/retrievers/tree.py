"""Retrievers made of retrievers, as a tree."""

from __future__ import annotations

from collections.abc import Iterator

from ragtrial.retrievers.base import Retriever

__all__ = ["retriever_tree"]


def retriever_tree(retriever: Retriever) -> Iterator[Retriever]:
    """Yield a retriever and then all that it is made of, at whatever depth, from left to right."""
    yield retriever
    for part in retriever.parts:
        yield from retriever_tree(part)
