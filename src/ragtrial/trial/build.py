"""The building stage: every arm's chunks over one corpus, or a document's reason for leaving all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ragtrial.chunkers.asking import collecting_models, watching
from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import ChunkSet, Piece
from ragtrial.chunkers.step import Step
from ragtrial.documents.model import Document
from ragtrial.errors import DataError, FailedDocumentsError, MissingExtraError, SpendingCapError
from ragtrial.llm.base import LanguageModel
from ragtrial.llm.spending import spending_for
from ragtrial.trial.arms import Arm
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.hashing import sha256
from ragtrial.trial.progress import Progress

__all__ = ["Built", "build_arms"]


@dataclass(frozen=True)
class Built:
    """The chunk set of every arm over the same documents.

    ``corpus`` is what is left of the corpus: a document that failed in one arm is left out of
    all, so that arms are compared on the same questions. ``failed`` maps such a
    document's id to the arm and the reason; ``arms`` are fitted to the whole corpus. ``redrawn`` holds, for arms
    with random draws, the chunk sets of all draws but the first; ``models`` the language models that were asked.
    """

    corpus: Corpus
    arms: Mapping[str, Arm]
    chunks: Mapping[str, ChunkSet]
    failed: Mapping[str, str]
    redrawn: Mapping[str, tuple[ChunkSet, ...]] = field(default_factory=dict)
    models: tuple[LanguageModel, ...] = ()

    def sha256(self, arm: str) -> str:
        """Return the sha256 of an arm's chunks in all draws: their places, what was put before them, their fields."""
        drawn = (self.chunks[arm], *self.redrawn.get(arm, ()))
        return sha256([[chunk._replace(text="") for chunk in chunks] for chunks in drawn])


def build_arms(corpus: Corpus, arms: Mapping[str, Arm], progress: Progress) -> Built:
    """Cut the corpus once per chunker and apply each arm's steps, those that arms begin with alike only once.

    What a language model is paid for is booked on the first arm that needs it (`ragtrial.llm.spending`).

    Raises
    ------
    DataError
        An arm makes no chunk, or every document failed.
    SpendingCapError
        A call could pass the cap; with a higher one the same run goes on from there.
    """
    with collecting_models() as models:
        built = _build_arms(corpus, arms, progress)
    return replace(built, models=tuple(models.values()))


def _build_arms(corpus: Corpus, arms: Mapping[str, Arm], progress: Progress) -> Built:
    fitted = {name: arm.fit(corpus.documents) for name, arm in arms.items()}
    cut: dict[Chunker, dict[str, list[Piece]]] = {}
    failed: dict[str, str] = {}
    with progress("Chunking", len(fitted)) as step:
        for name, arm in fitted.items():
            if arm.chunker not in cut:
                with spending_for(name):
                    cut[arm.chunker] = _cut(name, arm.chunker, corpus.documents, failed)
            step()
    while True:
        left = corpus.without(failed)
        sets = {chunker: _chunk_set(chunker, corpus, left, pieces) for chunker, pieces in cut.items()}
        drawn, failing = _apply_steps(fitted, sets, progress)
        if not failing:
            break
        # Without these documents what takes from the whole corpus is another; what was paid for is not asked again.
        failed |= failing
    if failed and not left.documents:
        document, reason = next(iter(failed.items()))
        raise DataError(f"Every document failed in some arm, so there is nothing to score: {document} ({reason}).")
    chunks = {name: draws[0] for name, draws in drawn.items()}
    for name, built in chunks.items():
        if not len(built):
            raise DataError(f"The arm {name!r} ({arms[name]}) makes no chunk of these documents.")
    return Built(left, fitted, chunks, failed, {name: draws[1:] for name, draws in drawn.items() if len(draws) > 1})


def _cut(
    name: str, chunker: Chunker, documents: tuple[Document, ...], failed: dict[str, str]
) -> dict[str, list[Piece]]:
    pieces: dict[str, list[Piece]] = {}
    try:
        chunker.prepare(documents)
    except FailedDocumentsError as error:
        _note(failed, name, error)
    for document in documents:
        if document.id in failed:
            continue
        try:
            pieces[document.id] = chunker.split(document)
        except FailedDocumentsError as error:
            _note(failed, name, error)
        except (MissingExtraError, SpendingCapError):
            raise
        except Exception as error:  # noqa: BLE001  # whatever a chunker does, one document never ends a run
            failed.setdefault(document.id, f"arm {name!r}: {type(error).__name__}: {error}")
    return pieces


def _chunk_set(chunker: Chunker, corpus: Corpus, left: Corpus, pieces: Mapping[str, list[Piece]]) -> ChunkSet:
    chunks = ChunkSet.build(left.documents, [pieces[document.id] for document in left.documents], joiner=chunker.joiner)
    report = chunker.report(corpus.documents)
    return chunks if report is None else chunks.noting(report)


def _apply_steps(
    arms: Mapping[str, Arm], sets: Mapping[Chunker, ChunkSet], progress: Progress
) -> tuple[dict[str, tuple[ChunkSet, ...]], dict[str, str]]:
    """Return the chunks of every draw of the arms that could be built, and the documents that failed in the others."""
    made: dict[tuple[Chunker, tuple[Step, ...]], ChunkSet] = {(chunker, ()): chunks for chunker, chunks in sets.items()}
    built: dict[str, tuple[ChunkSet, ...]] = {}
    failing: dict[str, str] = {}
    for name, arm in arms.items():
        try:
            with spending_for(name):
                for one in arm.drawn:
                    _apply_draw(name, one, made, progress)
        except FailedDocumentsError as error:
            _note(failing, name, error)
        else:
            built[name] = tuple(made[arm.chunker, one.steps] for one in arm.drawn)
    return built, failing


def _apply_draw(
    name: str, arm: Arm, made: dict[tuple[Chunker, tuple[Step, ...]], ChunkSet], progress: Progress
) -> None:
    """Add the chunks after each step of an arm to those that were made."""
    for count, step in enumerate(arm.steps, start=1):
        before, after = (arm.chunker, arm.steps[: count - 1]), (arm.chunker, arm.steps[:count])
        if after not in made:
            made[after] = _apply(name, step, made[before], progress)


def _apply(name: str, step: Step, chunks: ChunkSet, progress: Progress) -> ChunkSet:
    if not step.asks_model:
        return step.apply(chunks)
    with progress(f"Asking for {name}", len(chunks.documents)) as done, watching(done):
        return step.apply(chunks)


def _note(failed: dict[str, str], name: str, error: FailedDocumentsError) -> None:
    for document, reason in error.failed.items():
        failed.setdefault(document, f"arm {name!r}: {reason}")
