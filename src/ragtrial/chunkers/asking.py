"""What components that ask a language model have in common: its options, its prompt, and work document by document."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.documents.model import Document
from ragtrial.errors import FailedDocumentsError, ModelCallError, SpecError, UsageError
from ragtrial.llm.base import LanguageModel
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.load import load
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prompt import Prompt
from ragtrial.specs import Component

__all__ = [
    "chunks_key",
    "collecting_models",
    "known_results",
    "language_model",
    "model_identity",
    "model_options",
    "results_of_documents",
    "standing_in",
    "watching",
]

_Kept: TypeAlias = "WeakKeyDictionary[Document, dict[Hashable, Any]]"

_KEPT: Final[_Kept] = WeakKeyDictionary()
"""What was paid for in this process, as long as the document is there: with and without a cache of replies, an arm that
is built again, or another arm that begins alike, asks for nothing twice."""


class _StandIn(NamedTuple):
    make: Callable[[ModelOptions], LanguageModel]
    kept: _Kept


_STAND_IN: Final[ContextVar[_StandIn | None]] = ContextVar("ragtrial-stand-in", default=None)
_ASKED: Final[ContextVar[dict[ModelOptions, LanguageModel] | None]] = ContextVar("ragtrial-asked", default=None)
_DONE: Final[ContextVar[Callable[[], None]]] = ContextVar("ragtrial-done", default=lambda: None)

Result = TypeVar("Result")


@contextmanager
def standing_in(make: Callable[[ModelOptions], LanguageModel]) -> Iterator[None]:
    """Let other models answer inside the block, such as ones that only count what they are asked.

    What they say is forgotten after it, and what others said is not used inside.
    """
    token = _STAND_IN.set(_StandIn(make, WeakKeyDictionary()))
    try:
        yield
    finally:
        _STAND_IN.reset(token)


@contextmanager
def collecting_models() -> Iterator[dict[ModelOptions, LanguageModel]]:
    """Collect the language models that components ask inside the block, in the order in which they are first needed."""
    found: dict[ModelOptions, LanguageModel] = {}
    token = _ASKED.set(found)
    try:
        yield found
    finally:
        _ASKED.reset(token)


@contextmanager
def watching(done: Callable[[], None]) -> Iterator[None]:
    """Be told inside the block of every document that a component is done with asking about."""
    token = _DONE.set(done)
    try:
        yield
    finally:
        _DONE.reset(token)


def model_options(component: Component) -> ModelOptions:
    """Return what a component asks of its language model: its parameters of the names that `ModelOptions` has."""
    asked = {field.name for field in fields(ModelOptions)} & {field.name for field in fields(component)}
    if not getattr(component, "model", None):
        raise SpecError(
            f"{component.spec_name} needs the name of a language model.",
            hint=f"Write for example {component.spec_name}('qwen2.5:7b', url='ollama').",
        )
    try:
        return ModelOptions(**{name: getattr(component, name) for name in sorted(asked)})
    except UsageError as error:
        # A trial file's faults are listed together, and this is one of an expression in it.
        raise SpecError(error.message, hint=error.hint) from error


def language_model(component: Component) -> LanguageModel:
    """Return the language model of a component: one a process, with the cache and the ledger of the environment."""
    stand_in, asked = _STAND_IN.get(), _ASKED.get()
    options = model_options(component)
    model = (stand_in.make if stand_in else load)(options)
    if asked is not None:
        asked.setdefault(options, model)
    return model


def model_identity(component: Component, prompt: Prompt) -> dict[str, Any]:
    """Return what stands in plans and records of the model and the prompt, whatever the prompt's file is called."""
    return {"language_model": dict(model_options(component).identity()), "prompt": dict(prompt.identity())}


def chunks_key(chunks: ChunkSet, numbers: range) -> Hashable:
    """Return what the chunks of one document are, without what was put before them."""
    first, last = int(chunks.offsets[numbers.start]), int(chunks.offsets[numbers.stop])
    columns = (chunks.offsets[numbers.start : numbers.stop] - first, chunks.starts[first:last], chunks.ends[first:last])
    return (*(column.tobytes() for column in columns), chunks.paths[numbers.start : numbers.stop], chunks.joiner)


def known_results(documents: Sequence[Document], key: Hashable) -> list[Any]:
    """Return what is known of documents under a key without any call; those of which nothing is are left out."""
    kept = _kept()
    return [kept[document][key] for document in documents if key in kept.get(document, {})]


def results_of_documents(
    documents: Sequence[Document], keys: Sequence[Hashable], work: Callable[[int], Result], threads: int
) -> list[Result]:
    """Return what the work on each document gives; several are worked on at a time.

    Parameters
    ----------
    documents : sequence of Document
    keys : sequence, one a document
        Everything that the work depends on beside the document.
    work : callable, number of a document -> result
        Calls a language model.
    threads : int
        How many documents at a time.

    Raises
    ------
    FailedDocumentsError
        Calls for some documents brought no reply; all others were worked on, and their results are kept.
    """
    kept = [_kept().setdefault(document, {}) for document in documents]

    def once(place: int) -> Result:
        if keys[place] not in kept[place]:
            kept[place][keys[place]] = work(place)
        result: Result = kept[place][keys[place]]
        return result

    results: list[Result] = []
    failed: dict[str, str] = {}
    everything = map_documents(once, range(len(documents)), threads, done=_DONE.get())
    for document, found in zip(documents, everything, strict=True):
        if isinstance(found, ModelCallError):
            failed[document.id] = str(found)
        else:
            results.append(found)
    if failed:
        raise FailedDocumentsError.of(failed)
    return results


def _kept() -> _Kept:
    stand_in = _STAND_IN.get()
    return stand_in.kept if stand_in else _KEPT
