"""The retriever ``expand``: what belongs to a retrieved chunk comes right after it (METHODS 4; MDK section 4.6)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ragtrial.chunkers.fields import Fields
from ragtrial.errors import UsageError
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.ranking import FloatArray, IntArray, Ranking
from ragtrial.retrievers.reordered import ranking_of
from ragtrial.retrievers.sources import SourceReader, Sources, index_with

__all__ = ["Expand", "ExpandedIndex", "Links", "related_links", "walk_links", "walk_neighbours"]

Way: TypeAlias = Literal["related", "adjacent", "section"]

Links: TypeAlias = tuple[tuple[int, ...], ...]
"""For each chunk others that belong to it, by ascending number."""


@dataclass(frozen=True)
class Expand(SourceReader):
    """After each retrieved chunk, chunks of its document that belong to it and are not there yet.

    Parameters
    ----------
    base : Retriever
        Whose ranking is expanded: ``expand(bm25, 'related')``.
    by : {"related", "adjacent", "section"}
        "related": chunks with the same key, those whose key is among the chunk's related keys, and those that have its
        key among theirs, in document order. "adjacent": the control of "related": as many as that adds after the same
        chunk, taken from its neighbours: next, previous, the one after next ... "section": chunks with the same section
        path, in document order.

    A chunk is never there twice; one that was added before its own rank is passed over there and adds nothing. What is
    added has the score of the chunk that it follows. The budget of a measure cuts the ranking as it cuts any other.

    "related" and "adjacent" need an arm that generates keys, such as ``headers + enriched('qwen2.5:7b')``.
    """

    spec_name: ClassVar[str] = "expand"
    positional: ClassVar[int] = 2

    base: Retriever
    by: Way = "related"

    @property
    def needs_keys(self) -> bool:
        """Whether the chunks must have generated keys."""
        return self.by != "section"

    @property
    def parts(self) -> tuple[Retriever]:
        """The retriever whose ranking is expanded."""
        return (self.base,)

    def index(
        self, texts: Sequence[str], pools: npt.ArrayLike | None = None, sources: Sources | None = None
    ) -> ExpandedIndex:
        """Index texts, of which ``sources`` must tell document, section path and generated fields."""
        known = self.needed(sources, len(texts))
        base = index_with(self.base, texts, pools, sources)
        documents = _documents(known, pools)
        if not self.needs_keys:
            return ExpandedIndex(base, _same_path(documents, known.paths), None)
        if known.fields is None:
            raise UsageError(
                f"{self} follows generated keys, and the chunks have none.",
                hint="Use an arm that generates them, such as headers + enriched('qwen2.5:7b').",
            )
        links = related_links(documents, known.fields)
        return ExpandedIndex(base, links, documents if self.by == "adjacent" else None)


@dataclass(frozen=True, slots=True, eq=False)
class ExpandedIndex:
    """The base's index, and what belongs to each chunk; with ``documents`` as many neighbours come in its place."""

    base: Index
    links: Links
    documents: Links | None

    @property
    def nbytes(self) -> int:
        """The bytes of the base's index and of the numbers of linked chunks."""
        return self.base.nbytes + 8 * sum(map(len, self.links))

    def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
        """Rank for each query the chunks of its pool, the first ``depth`` of them or all."""
        # After each rank of the base its chunk is there, so the first chunks need no more ranks than they are.
        found = self.base.rank(queries, query_pools, depth)
        rows = ranking_of(self._expanded(*found.of(number)) for number in range(found.n_questions))
        return rows if depth is None else rows.top(depth)

    def _expanded(self, chunks: IntArray, scores: FloatArray) -> tuple[IntArray, FloatArray]:
        ranked = chunks.tolist()
        steps = walk_links(ranked, self.links)
        if self.documents is not None:
            steps = walk_neighbours(ranked, steps, self.documents)
        order = np.fromiter(chain.from_iterable(steps), dtype=np.int64)
        return order, np.repeat(scores, [len(step) for step in steps])


def walk_links(ranked: Sequence[int], links: Links) -> list[tuple[int, ...]]:
    """Return for each rank what it adds: the chunk, if it is not there yet, and then those that belong to it."""
    there: set[int] = set()
    steps: list[tuple[int, ...]] = []
    for chunk in ranked:
        step: tuple[int, ...] = ()
        if chunk not in there:
            step = (chunk, *(linked for linked in links[chunk] if linked not in there))
            there.update(step)
        steps.append(step)
    return steps


def walk_neighbours(ranked: Sequence[int], steps: Sequence[tuple[int, ...]], documents: Links) -> list[tuple[int, ...]]:
    """Return for each rank the chunk, if it is not there yet, and as many neighbours as ``steps`` adds linked chunks.

    ``documents`` gives for each chunk all chunks of its document, in order. Fewer are added only where the whole
    document is there, which is so for both walks then.
    """
    there: set[int] = set()
    walked: list[tuple[int, ...]] = []
    for chunk, step in zip(ranked, steps, strict=True):
        wanted = max(len(step) - 1, 0)
        own = () if chunk in there else (chunk,)
        there.update(own)
        added = tuple(islice((near for near in _outwards(chunk, documents[chunk]) if near not in there), wanted))
        there.update(added)
        assert len(added) == wanted or there.issuperset(documents[chunk]), f"{wanted} neighbours of {chunk} were wanted"
        walked.append((*own, *added))
    return walked


def _outwards(chunk: int, document: Sequence[int]) -> Iterator[int]:
    """Yield the next chunk, the previous one, the one after the next ... to both ends of the document."""
    place = bisect_left(document, chunk)
    after, before = document[place + 1 :], document[:place][::-1]
    for pair in zip_longest(after, before):
        yield from (near for near in pair if near is not None)


def _documents(sources: Sources, pools: npt.ArrayLike | None) -> Links:
    """Return for each chunk all chunks of its document, in order; a document in two pools counts as two."""
    pool_of = np.zeros(len(sources), dtype=np.int64) if pools is None else np.asarray(pools, dtype=np.int64)
    groups: dict[tuple[int, int], list[int]] = {}
    keys = list(zip(sources.document.tolist(), pool_of.tolist(), strict=True))
    for chunk, key in enumerate(keys):
        groups.setdefault(key, []).append(chunk)
    whole = {key: tuple(chunks) for key, chunks in groups.items()}
    return tuple(whole[key] for key in keys)


def related_links(documents: Links, fields: Sequence[Fields | None]) -> Links:
    """Return for each chunk those of its document that are linked to it by keys; empty keys never link.

    Parameters
    ----------
    documents : tuple of tuples of int, one a chunk
        All chunks of the chunk's document.
    fields : sequence of Fields or None, one a chunk
    """
    known = [item or Fields() for item in fields]
    found: list[tuple[int, ...]] = [()] * len(known)
    for chunk, document in enumerate(documents):
        if document[0] == chunk:
            for member, linked in _linked(document, known):
                found[member] = linked
    return tuple(found)


def _linked(document: Sequence[int], fields: Sequence[Fields]) -> Iterator[tuple[int, tuple[int, ...]]]:
    having: dict[str, set[int]] = {}
    naming: dict[str, set[int]] = {}
    for chunk in document:
        having.setdefault(fields[chunk].key, set()).add(chunk)
        for key in fields[chunk].related_keys:
            naming.setdefault(key, set()).add(chunk)
    having.pop("", None)
    for chunk in document:
        own, related = fields[chunk].key, fields[chunk].related_keys
        sets = [having.get(key, set()) for key in (own, *related)]
        linked = set().union(*sets, naming.get(own, set()) if own else set())
        yield chunk, tuple(sorted(linked - {chunk}))


def _same_path(documents: Links, paths: Sequence[tuple[str, ...]]) -> Links:
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    keys = [(document[0], path) for document, path in zip(documents, paths, strict=True)]
    for chunk, key in enumerate(keys):
        groups.setdefault(key, []).append(chunk)
    return tuple(tuple(other for other in groups[key] if other != chunk) for chunk, key in enumerate(keys))
