"""The building stage: every arm's chunks over one corpus, or a document's reason for leaving all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import ChunkSet, Piece
from ragtrial.documents.model import Document
from ragtrial.errors import DataError
from ragtrial.trial.arms import Arm
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.progress import Progress

__all__ = ["Built", "build_arms"]


@dataclass(frozen=True)
class Built:
    """The chunk set of every arm over the same documents.

    ``corpus`` is what is left of the corpus: a document that failed in one arm is left out of
    all, so that arms are compared on the same questions. ``failed`` maps such a
    document's id to the arm and the reason; ``arms`` are fitted to the whole corpus.
    """

    corpus: Corpus
    arms: Mapping[str, Arm]
    chunks: Mapping[str, ChunkSet]
    failed: Mapping[str, str]


def build_arms(corpus: Corpus, arms: Mapping[str, Arm], progress: Progress) -> Built:
    """Cut the corpus once per chunker and apply each arm's steps."""
    fitted = {name: arm.fit(corpus.documents) for name, arm in arms.items()}
    cut: dict[Chunker, dict[str, list[Piece]]] = {}
    failed: dict[str, str] = {}
    with progress("Chunking", len(fitted)) as step:
        for name, arm in fitted.items():
            if arm.chunker not in cut:
                cut[arm.chunker] = _cut(name, arm.chunker, corpus.documents, failed)
            step()
    left = corpus.without(failed)
    sets = {chunker: _chunk_set(chunker, left.documents, pieces) for chunker, pieces in cut.items()}
    chunks = {name: arm.apply_steps(sets[arm.chunker]) for name, arm in fitted.items()}
    for name, built in chunks.items():
        if not len(built):
            reasons = f" ({next(iter(failed.values()))})" if failed else ""
            raise DataError(f"The arm {name!r} ({arms[name]}) makes no chunk of these documents{reasons}.")
    return Built(left, fitted, chunks, failed)


def _cut(
    name: str, chunker: Chunker, documents: tuple[Document, ...], failed: dict[str, str]
) -> dict[str, list[Piece]]:
    pieces: dict[str, list[Piece]] = {}
    for document in documents:
        try:
            pieces[document.id] = chunker.split(document)
        except Exception as error:  # noqa: BLE001  # whatever a chunker does, one document never ends a run
            failed.setdefault(document.id, f"arm {name!r}: {type(error).__name__}: {error}")
    return pieces


def _chunk_set(chunker: Chunker, documents: tuple[Document, ...], pieces: Mapping[str, list[Piece]]) -> ChunkSet:
    return ChunkSet.build(documents, [pieces[document.id] for document in documents], joiner=chunker.joiner)
