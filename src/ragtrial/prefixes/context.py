"""``context``: a generated note that tells where in its document a chunk stands (contextual retrieval).

Source: METHODS section 3, ``context``; MDK's CR, KMR's A1 (Anthropic 2024).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field

from ragtrial.chunkers.asking import model_identity
from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.errors import ModelCallError
from ragtrial.llm.base import LanguageModel, Purpose, Reply, Request
from ragtrial.llm.json_reply import SEEDS, without_thinking
from ragtrial.llm.prompt import Prompt, load_prompt
from ragtrial.prefixes.asking import AskingStep, Count
from ragtrial.text import tokens
from ragtrial.text.counting import Tokenised, tokenise

__all__ = ["Context"]

_PLACES: Final = ("document", "chunk")

_CAP: Final = 120
_CAP_OF_REASONING: Final = 600
_FRAME: Final = 64
"""Tokens that a server may put around messages."""


@dataclass(frozen=True)
class Context(AskingStep):
    """Put a generated note on where the chunk stands before it, with a blank line: ``context('qwen2.5:7b')``.

    One call a chunk. MDK's CR is ``headers + context(model)``, KMR's A1
    ``windows_matched(...) + context(model, max_tokens=80)``. All calls of a document come one after the other and begin
    with the document, so that a server keeps what it has read. An empty reply is asked for again with the next
    three seeds; then the chunk has no note, and is counted.

    Parameters
    ----------
    model, url, key_variable, effort, provider, window, structured, omit
        As for ``enriched``.
    over : "document" or int
        What the model sees beside the chunk: the whole document, or the text around the chunk, so many cl100k tokens
        with it. A document that with its prompt and reply is longer than ``window`` is refused, with all its chunks.
    max_tokens : int, optional
        The most tokens of a note; None: 120, and 600 with an ``effort``. A note that reaches them is cut there.
    seed : int
        The first seed.
    prompt : str
        A prompt of ragtrial's, or the path of one's own.
    """

    spec_name: ClassVar[str] = "context"

    over: Literal["document"] | Annotated[int, Field(ge=1)] = "document"
    max_tokens: Count | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    prompt: str = "context"

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values: model and prompt by what they are."""
        return super().parameters() | {"max_tokens": self._cap} | model_identity(self, self._prompt())

    to_dict = parameters

    def apply(self, chunks: ChunkSet) -> ChunkSet:
        """Return the chunks with their note in front of whatever prefix they have."""
        prompt = self._prompt()
        found = self.ask_all(
            chunks, (self, prompt.sha256), lambda model, numbers: self._of_document(model, prompt, chunks, numbers)
        )
        notes = [note for one in found for note in one.notes]
        report = {
            "step": self.spec_name,
            "given": str(self),
            "chunks": len(notes),
            "without_context": sum(not note for note in notes),
            "asked_again": sum(one.asked_again for one in found),
            "cut": sum(one.cut for one in found),
        }
        shown = (f"{note}\n\n" if note else "" for note in notes)
        prefixes = [note + prefix for note, prefix in zip(shown, chunks.prefixes, strict=True)]
        return chunks.with_prefixes(prefixes).noting(report)

    def _of_document(self, model: LanguageModel, prompt: Prompt, chunks: ChunkSet, numbers: range) -> _Notes:
        if not numbers:
            return _Notes((), 0, 0)
        document = chunks.documents[int(chunks.document[numbers.start])]
        seen = self._seen(document)
        if model.window is not None:
            # Beside its chunk every prompt of a document shows as much.
            longest = max(numbers, key=lambda number: tokens.count(chunks.text(number)))
            _refuse_longer_than(model.window, self._request(prompt, chunks, longest, seen), document.id, self)
        notes: list[str] = []
        asked_again = cut = 0
        for position, number in enumerate(numbers):
            request = self._request(prompt, chunks, number, seen)
            replies = self._ask(model, request, Purpose(self.spec_name, document.id, position))
            notes.append(_note(replies[-1]))
            asked_again += len(replies) > 1
            cut += bool(notes[-1]) and replies[-1].finish == "length"
        return _Notes(tuple(notes), asked_again, cut)

    def _ask(self, model: LanguageModel, request: Request, purpose: Purpose) -> list[Reply]:
        """Return the replies up to the first that says something."""
        replies: list[Reply] = []
        for seed in SEEDS:
            replies.append(model.ask(replace(request, seed=self.seed + seed), purpose))
            if _note(replies[-1]):
                break
        return replies

    def _request(self, prompt: Prompt, chunks: ChunkSet, number: int, seen: Callable[[Span], str]) -> Request:
        spans = chunks.spans(number)
        values = {"document": seen(Span(spans[0].start, spans[-1].end)), "chunk": chunks.text(number)}
        system, user = prompt.fill(values)
        return Request(system, user, self._cap)

    @property
    def _cap(self) -> int:
        return self.max_tokens or (_CAP if self.effort is None else _CAP_OF_REASONING)

    def _seen(self, document: Document) -> Callable[[Span], str]:
        """Return what gives, for the place of a chunk, what the model sees of the document."""
        if self.over == "document":
            return lambda _: document.text
        size, tokenised = self.over, tokenise(document.text)
        return lambda span: _around(document.text, tokenised, span, size)

    def _prompt(self) -> Prompt:
        return load_prompt(self.prompt, _PLACES, _PLACES)


class _Notes(NamedTuple):
    """The notes of a document's chunks, "" where none came; how many were asked again, and how many were cut."""

    notes: tuple[str, ...]
    asked_again: int
    cut: int


def _around(text: str, tokenised: Tokenised, span: Span, size: int) -> str:
    """Return so many tokens of a text around a range, the whole range at least, as much before it as behind it."""
    before, end = tokenised.before([span.start, span.end]).tolist()
    spare = max(size - (end - before), 0)
    first = max(min(before - spare // 2, len(tokenised) - size), 0) if spare else before
    last = min(max(first + size, end), len(tokenised))
    starts = tokenised.starts
    return text[min(int(starts[first]), span.start) : int(starts[last]) if last < len(tokenised) else len(text)]


def _note(reply: Reply) -> str:
    return without_thinking(reply.text).strip()


def _refuse_longer_than(window: int, longest: Request, document: str, step: Context) -> None:
    needed = tokens.count(longest.system) + tokens.count(longest.user) + longest.max_tokens + _FRAME
    if needed > window:
        narrower = step.over == "document" or step.over > window // 2
        advice = f"Show the model a part of it with over={window // 2}" if narrower else "Cut it into smaller chunks"
        raise ModelCallError(
            f"{document} is too long for {step.model!r}: with prompt and reply {needed:,} tokens, and its window has "
            f"{window:,}.",
            hint=f"{advice}, or use a model with a longer window.",
        )
