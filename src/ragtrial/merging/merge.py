"""``merge``: chunks of one subtopic become one chunk, and the free controls of doing so (METHODS section 2.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
from pydantic import Field

from ragtrial.chunkers.asking import language_model, model_identity, model_options, results_of_documents
from ragtrial.chunkers.chunkset import ChunkSet, Generated
from ragtrial.chunkers.step import Step
from ragtrial.embedders.base import Embedder
from ragtrial.embedders.load import load as load_embedder
from ragtrial.embedders.load import load_model as load_embedding_model
from ragtrial.embedders.options import Backend, ModelOptions
from ragtrial.errors import SpecError, UsageError
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.merging.bins import SEPARATOR, Bins, Choice, bins_by_key, bins_of_neighbours, by_chance, by_similarity
from ragtrial.merging.consolidation import PLACES, Consolidator
from ragtrial.merging.join import join_bins, put_orphans_in_context, with_keys

__all__ = ["Merge"]

Count: TypeAlias = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Merge(Step):
    """Make one chunk of several of a document; stands after a step that generates fields, such as ``enriched``.

    Parameters
    ----------
    by : {"key", "random", "similar", "consolidated"}
        "key": chunks with the same key, however far apart, packed by next-fit up to ``cap``; those without a key stay
        alone. "random" and "similar" are its controls: in each document as many merges as "key" makes there, of
        neighbours; pairs drawn at random, or again and again the two that are most alike by vectors of their texts.
        "consolidated": as "key", after one call per document has made one of the keys that mean the same.
    model : str, optional
        The embedder of "similar", ``minilm`` unless given, or the language model of "consolidated".
    cap : int
        The most characters of a merged chunk; a longer chunk stays alone.
    orphan : int
        With "key" and "consolidated", a chunk without a key that is shorter gets lines on its section and neighbours
        before its text.
    seed : int
        Of "random" and "consolidated".
    draws : int
        Of "random": a trial makes the merges with so many seeds, from ``seed`` on, and averages each question's scores
        over them. Chunks alone, and rankings of a record, are those of the first.
    backend, url, key_variable
        Of "similar" as for ``dense``; ``url`` and ``key_variable`` also of "consolidated".
    effort, provider, window, structured, omit, max_tokens, prompt
        Of "consolidated", as for ``enriched``. Keys of a document whose call fails stay as they are; the
        report counts such documents.

    A merged chunk's text is its members' texts joined by a blank line. Section path, title, summary and key are those
    of the first member, keywords, questions, entities and related keys those of all. Where no two neighbours fit
    together any more, a control has fewer merges than what it controls: the report counts them.
    """

    spec_name: ClassVar[str] = "merge"
    positional: ClassVar[int] = 2
    needs_keys: ClassVar[bool] = True

    by: Literal["key", "random", "similar", "consolidated"] = "key"
    model: str | None = None
    cap: Count = 3000
    orphan: Annotated[int, Field(ge=0)] = 200
    seed: Annotated[int, Field(ge=0)] = 0
    draws: Count = 5
    backend: Backend = "onnx"
    url: str | None = None
    key_variable: str | None = None
    effort: str | None = None
    provider: str | None = None
    window: Count | None = None
    structured: bool = True
    omit: tuple[str, ...] = ()
    max_tokens: Count = 4000
    prompt: str = "consolidation"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in fields(self):
            ways = _ways(field.name)
            if self.by not in ways and getattr(self, field.name) != field.default:
                raise SpecError(f"merge({self.by!r}) takes no {field.name}; merge({ways[0]!r}) does.")
        if self.by == "similar":
            self.embedding_options()
        elif self.asks_model:
            model_options(self._with_address())

    @property
    def asks_model(self) -> bool:
        """Whether the step asks a language model."""
        return self.by == "consolidated"

    @property
    def drawn(self) -> tuple[Merge, ...]:
        """The step with each of its seeds, each of which is drawn alone."""
        if self.by != "random":
            return (self,)
        return tuple(replace(self, seed=self.seed + number, draws=1) for number in range(self.draws))

    def embedding_options(self) -> ModelOptions:
        """Return what is asked of the embedder of "similar"."""
        model = self.model or "minilm"
        return ModelOptions(model, self.backend, url=self.url, key_variable=self.key_variable)

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values: models and the prompt by what they are."""
        given = super().parameters()
        given = {
            name: given[name] for name in given if self.by in _ONLY.get(name, ("consolidated",)) or name == "component"
        }
        if self.asks_model:
            return given | model_identity(self._with_address(), self._prompt())
        if self.by != "similar":
            return given
        identity = load_embedding_model(self.embedding_options()).identity()
        return given | {"embedder": {key: identity[key] for key in identity if key != "runtime"}}

    to_dict = parameters

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the merged set; one without generated fields, or with text behind chunks, raises `UsageError`."""
        generated = chunks.generated
        if generated is None:
            raise UsageError(
                f"{self} merges by what was generated for chunks, and nothing was.",
                hint="Write for example headers + enriched('qwen2.5:7b') + merge('key').",
            )
        if any(chunks.suffixes):
            raise UsageError(
                f"{self} cannot join chunks with text behind them: it would stand between their texts.",
                hint="Put merge before the step that stands behind(...).",
            )
        report: dict[str, Any] = {"step": self.spec_name, "given": str(self), "chunks": len(chunks)}
        if self.asks_model:
            keys, report["failed_calls"] = self._consolidated(chunks, generated)
            chunks = with_keys(chunks, generated, keys)
            assert chunks.generated is not None
            generated = chunks.generated
        by_key = self._by_key(chunks, generated)
        if self.by in ("key", "consolidated"):
            chunks, report["orphans"] = put_orphans_in_context(chunks, generated, self.orphan)
            assert chunks.generated is not None
            merged = join_bins(chunks, chunks.generated, by_key)
        else:
            merged = join_bins(chunks, generated, self._by_neighbours(chunks, by_key))
            report |= _count_matched(chunks, merged, by_key, self.cap)
        return merged.noting(report | {"merges": len(chunks) - len(merged)})

    def _by_key(self, chunks: ChunkSet, generated: Generated) -> list[Bins]:
        keys = ["" if fields is None else fields.key for fields in generated.fields]
        return [
            bins_by_key([keys[number] for number in numbers], _sizes(chunks, numbers), self.cap)
            for numbers in chunks.ranges()
        ]

    def _consolidated(self, chunks: ChunkSet, generated: Generated) -> tuple[list[str], int]:
        """Return the canonical key of each chunk, and for how many documents the call failed."""
        prompt, asks = self._prompt(), self._with_address()
        model = language_model(asks)
        consolidator = Consolidator(model, prompt, self.max_tokens, self.seed)
        keys = [
            tuple(dict.fromkeys(fields.key for fields in own if fields is not None and fields.key))
            for own in (generated.fields[numbers.start : numbers.stop] for numbers in chunks.ranges())
        ]
        known = [(asks, prompt.sha256, own) for own in keys]
        found = results_of_documents(
            chunks.documents,
            known,
            lambda place: consolidator.consolidate(chunks.documents[place].id, keys[place]),
            model.concurrency,
        )
        canonical = [
            one.canonical.get(fields.key, "") if fields is not None else ""
            for one, numbers in zip(found, chunks.ranges(), strict=True)
            for fields in generated.fields[numbers.start : numbers.stop]
        ]
        return canonical, sum(one.failed for one in found)

    def _with_address(self) -> Merge:
        """Return the step with the address of a language model's server where none is given."""
        return self if self.url is not None else replace(self, url="openai")

    def _prompt(self) -> Prompt:
        return load_prompt(self.prompt, PLACES, PLACES)

    def _by_neighbours(self, chunks: ChunkSet, by_key: Sequence[Bins]) -> list[Bins]:
        embedder = load_embedder(self.embedding_options()) if self.by == "similar" else None
        found: list[Bins] = []
        for document, bins, numbers in zip(chunks.documents, by_key, chunks.ranges(), strict=True):
            wanted = len(numbers) - len(bins)
            if wanted:
                choose = self._choice(document.id, [chunks.texts[number] for number in numbers], embedder)
                found.append(bins_of_neighbours(_sizes(chunks, numbers), wanted, self.cap, choose))
            else:
                found.append([(number,) for number in range(len(numbers))])
        return found

    def _choice(self, document: str, texts: Sequence[str], embedder: Embedder | None) -> Choice:
        if embedder is not None:
            return by_similarity(embedder.embed(texts))
        # Not the place in the corpus: a document merges alike whatever stands beside it.
        digest = hashlib.sha256(document.encode("utf-8", "surrogatepass")).digest()
        return by_chance(np.random.default_rng([self.seed, int.from_bytes(digest[:8], "big")]))


_ALL: Final = ("key", "random", "similar", "consolidated")

_ONLY: Final[dict[str, tuple[str, ...]]] = {
    "by": _ALL,
    "cap": _ALL,
    "model": ("similar", "consolidated"),
    "url": ("similar", "consolidated"),
    "key_variable": ("similar", "consolidated"),
    "backend": ("similar",),
    "orphan": ("key", "consolidated"),
    "seed": ("random", "consolidated"),
    "draws": ("random",),
}
"""Which ways take a parameter; those that are not here belong to "consolidated"."""


def _ways(parameter: str) -> tuple[str, ...]:
    return _ONLY.get(parameter, ("consolidated",))


def _sizes(chunks: ChunkSet, numbers: range) -> list[int]:
    return [len(chunks.texts[number]) for number in numbers]


def _count_matched(chunks: ChunkSet, merged: ChunkSet, by_key: Sequence[Bins], cap: int) -> dict[str, Any]:
    """Hold a control against what it controls, document by document; return the merges that it lacks.

    It has as many chunks, or more where no two neighbours of what it made fit together.
    """
    short = lacking = 0
    for before, after, bins in zip(chunks.ranges(), merged.ranges(), by_key, strict=True):
        missing = len(after) - len(bins)
        sizes = _sizes(merged, after)
        stuck = all(one + len(SEPARATOR) + other > cap for one, other in pairwise(sizes))
        assert missing == 0 or (missing > 0 and stuck), f"{len(before)} chunks became {len(after)}, not {len(bins)}"
        short += missing > 0
        lacking += missing
    return {"lacking_merges": lacking, "documents_with_fewer": short}
