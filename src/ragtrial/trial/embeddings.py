"""The embeddings of a trial: made ahead, once over all arms, and what the record says of their models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.embedders.base import Embedder, Kind, Report
from ragtrial.embedders.base import Progress as Embedded
from ragtrial.embedders.conventions import convention_of
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.dense import Dense
from ragtrial.retrievers.late.retriever import Late
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.trial.cells import Cell
from ragtrial.trial.progress import Advance, Progress

__all__ = ["AskedModel", "asked_models", "embed_ahead", "model_rows"]


@dataclass
class AskedModel:
    """What conditions ask of one model: ``arms`` whose indexed texts it embeds; questions it embeds in any case."""

    name: str
    embedder: Embedder
    retrievers: list[str]
    arms: list[str]


def embed_ahead(
    retrievers: Mapping[str, Retriever],
    chunks: Mapping[str, ChunkSet],
    queries: Sequence[str],
    cells: Iterable[Cell],
    progress: Progress,
) -> None:
    """Embed what conditions will ask for and the cache lacks.

    One text is embedded once, whichever arms have it; the remaining time is that of all texts of a model; and several
    workers find the vectors instead of each making them. Without a cache nothing is done ahead.
    """
    for asked in asked_models(retrievers, cells):
        texts = [text for arm in asked.arms for text in chunks[arm].indexed_texts]
        _prepare(asked, texts, "document", progress)
        _prepare(asked, queries, "query", progress)


def model_rows(
    retrievers: Mapping[str, Retriever], chunks: Mapping[str, ChunkSet], queries: Sequence[str], cells: Iterable[Cell]
) -> list[dict[str, Any]]:
    """Return a row for each embedding model: how it was used, and how many texts were longer than it reads.

    ``convention`` is the family of models whose words and pooling were used, None for a model that is not in the table
    of known ones (`ragtrial.embedders.conventions`). ``cut`` counts are None where the backend does not tell.
    """
    rows = []
    for asked in asked_models(retrievers, cells):
        identity = asked.embedder.identity()
        convention = convention_of(asked.name)
        rows.append(
            {
                "model": asked.name,
                "retrievers": asked.retrievers,
                "convention": None if convention is None else convention.family,
                **{key: identity.get(key) for key in ("query_prefix", "document_prefix", "pooling", "max_length")},
                "texts": {arm: len(chunks[arm]) for arm in asked.arms},
                "cut": {arm: asked.embedder.cut(chunks[arm].indexed_texts) for arm in asked.arms},
                "cut_questions": asked.embedder.cut(queries, "query"),
            }
        )
    return rows


def _prepare(asked: AskedModel, texts: Sequence[str], kind: Kind, progress: Progress) -> None:
    missing = asked.embedder.missing(texts, kind)
    if not missing:
        return
    what = "questions" if kind == "query" else "texts"
    with progress(f"Embedding {what} with {asked.name}", len(missing)) as advance:
        asked.embedder.prepare(missing, kind, _steps(advance))


def _steps(advance: Advance) -> Report:
    done = 0

    def report(reached: Embedded) -> None:
        nonlocal done
        advance(reached.done - done, reached.seconds_left)
        done = reached.done

    return report


def asked_models(retrievers: Mapping[str, Retriever], cells: Iterable[Cell]) -> list[AskedModel]:
    """Return what each embedding model of the conditions is asked for."""
    found: dict[int, AskedModel] = {}
    for arm, name in cells:
        for part in _embedding(retrievers[name]):
            embedder = part.embedder()
            asked = found.setdefault(id(embedder), AskedModel(part.model, embedder, [], []))
            if name not in asked.retrievers:
                asked.retrievers.append(name)
            # Late chunking reads whole documents, and embeds questions alone this way.
            if isinstance(part, Dense) and arm not in asked.arms:
                asked.arms.append(arm)
    return list(found.values())


def _embedding(retriever: Retriever) -> Iterator[Dense | Late]:
    return (part for part in retriever_tree(retriever) if isinstance(part, (Dense, Late)))
