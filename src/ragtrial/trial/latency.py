"""What a query costs: the time and size of each condition's index, and the time of one question at a time.

Timings are of this machine and of this hour, so they stand in a file of their own and never in a record's tables.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragtrial.embedders.base import Embedder
from ragtrial.embedders.bypass import bypassing_cache
from ragtrial.embedders.settings import RunSettings
from ragtrial.retrievers.base import Index, Retriever
from ragtrial.retrievers.dense import Dense
from ragtrial.retrievers.late.retriever import Late
from ragtrial.retrievers.ranking import IntArray
from ragtrial.retrievers.sources import Sources, index_with
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.trial.build import Built
from ragtrial.trial.corpus import Pools
from ragtrial.trial.embeddings import embed_ahead
from ragtrial.trial.progress import Progress
from ragtrial.trial.setup import Setup

__all__ = ["LATENCY_NAME", "LATENCY_VERSION", "measure_latency"]

LATENCY_NAME: Final = "latency.json"
LATENCY_VERSION: Final = 1

_DEPTH: Final = 10
"""How many chunks a question asks for: as many as a reader is given, not the whole pool that measures need."""

_WARM_UP: Final = 3
"""Questions asked before the clock runs: the first ones load models and fill processor caches."""

_MS: Final = 1000.0


@dataclass(frozen=True)
class _Texts:
    """What one arm gives to an index."""

    texts: Sequence[str]
    pools: IntArray
    sources: Sources

    def index(self, retriever: Retriever) -> Index:
        return index_with(retriever, self.texts, self.pools, self.sources)

    def sample(self, n_texts: int) -> _Texts:
        """Return whole documents, evenly over the corpus, with about so many texts, or all."""
        documents = np.unique(self.sources.document)
        wanted = min(len(documents), max(1, round(n_texts * len(documents) / max(len(self.texts), 1))))
        chosen = documents[np.linspace(0, len(documents) - 1, wanted).round().astype(np.int64)]
        rows = np.flatnonzero(np.isin(self.sources.document, chosen))
        return _Texts([self.texts[row] for row in rows.tolist()], self.pools[rows], self.sources.take(rows))


def measure_latency(
    setup: Setup, built: Built, *, questions: int = 100, sample: int = 256, progress: Progress
) -> dict[str, Any]:
    """Measure every condition of a trial; JSON-ready.

    Per condition: ``index_seconds`` and ``index_bytes``; ``query_ms`` with median and 95th percentile of one question
    at a time, ten chunks each, with everything that it takes; ``search_ms`` the same without the embedding of the
    question. Nothing is taken from the cache of vectors and scores. Where a model embeds the texts, the time of the
    index is that of ``sampled`` texts (whole documents, evenly over the corpus), scaled to all.

    Parameters
    ----------
    setup : Setup
    built : Built
        Its arms.
    questions : int
        How many questions to ask, evenly over all; all where there are fewer.
    sample : int
        About how many texts to embed for the time of an index.
    progress : callable
    """
    asked = built.corpus.questions
    chosen = np.linspace(0, len(asked) - 1, min(questions, len(asked))).round().astype(np.int64)
    pools = Pools.of(setup.pool, built.corpus.documents, asked)
    queries = [asked[number].text for number in chosen.tolist()]
    retrievers, cells = setup.trial.retrievers, setup.trial.cells
    # The whole index is needed to be searched; its vectors come from the cache, and their time from a sample.
    embed_ahead(retrievers, built.chunks, [], cells, progress)
    rows = []
    with progress("Timing", len(cells)) as step:
        for arm, name in cells:
            chunks = built.chunks[arm]
            texts = _Texts(chunks.indexed_texts, pools.of_documents[chunks.document], Sources.of(chunks))
            row = {"arm": arm, "retriever": name, "texts": len(texts.texts)}
            rows.append(row | _condition(retrievers[name], texts, queries, pools.of_questions[chosen], sample))
            step()
    return {
        "version": LATENCY_VERSION,
        "machine": _machine(),
        "questions": len(queries),
        "depth": _DEPTH,
        "rows": rows,
    }


def _condition(
    retriever: Retriever, texts: _Texts, queries: Sequence[str], query_pools: IntArray, sample: int
) -> dict[str, Any]:
    embedders = _embedders(retriever)
    start = time.perf_counter()
    index = texts.index(retriever)
    seconds, sampled = time.perf_counter() - start, None
    if embedders:
        few = texts.sample(sample)
        for embedder in embedders:
            _ = embedder.dimension  # the model is loaded before the clock runs
        with bypassing_cache():
            few.index(retriever).rank(queries[:1], query_pools[:1], _DEPTH)
            start = time.perf_counter()
            few.index(retriever)
            seconds = (time.perf_counter() - start) * len(texts.texts) / len(few.texts)
        sampled = len(few.texts)
    whole, search = _timed(index, embedders, queries, query_pools)
    return {
        "index_seconds": seconds,
        "sampled": sampled,
        "index_bytes": index.nbytes,
        "query_ms": _spread(whole),
        "search_ms": _spread(search),
    }


def _timed(
    index: Index, embedders: Sequence[Embedder], queries: Sequence[str], query_pools: IntArray
) -> tuple[list[float], list[float]]:
    """Return for each question the seconds that it took, and those without its embedding."""
    whole, search = [], []
    with bypassing_cache():
        for query, pool in zip(queries[:_WARM_UP], query_pools[:_WARM_UP], strict=True):
            index.rank([query], [pool], _DEPTH)
        for query, pool in zip(queries, query_pools, strict=True):
            before, start = sum(embedder.seconds for embedder in embedders), time.perf_counter()
            index.rank([query], [pool], _DEPTH)
            taken = time.perf_counter() - start
            whole.append(taken)
            search.append(taken - (sum(embedder.seconds for embedder in embedders) - before))
    return whole, search


def _embedders(retriever: Retriever) -> list[Embedder]:
    """Return the models that embed for a retriever, each once."""
    found = (part.embedder() for part in retriever_tree(retriever) if isinstance(part, (Dense, Late)))
    return list({id(embedder): embedder for embedder in found}.values())


def _spread(seconds: npt.ArrayLike) -> dict[str, float]:
    median, high = (np.quantile(np.asarray(seconds), [0.5, 0.95]) * _MS).tolist()
    return {"median": median, "p95": high}


def _machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "threads": RunSettings.from_environment().threads,
        "python": platform.python_version(),
    }
