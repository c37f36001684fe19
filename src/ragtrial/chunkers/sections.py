"""One chunk a section: boundaries where the author, or a language model, put them (KMR's G2 and A2).

Source: METHODS section 2, ``sections``; KMR section 3.2 for the two sizes.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field

from ragtrial.chunkers.asking import known_results, language_model, model_identity, model_options, results_of_documents
from ragtrial.chunkers.base import Chunker
from ragtrial.chunkers.chunkset import Piece
from ragtrial.chunkers.even_split import split_evenly
from ragtrial.chunkers.induced import Induced, Inducer, load_prompts
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Section, Span
from ragtrial.documents.title import top_sections
from ragtrial.errors import FailedDocumentsError, SpecError
from ragtrial.text.counting import TokenizerName, tokenise

__all__ = ["Sections"]

_NATIVE: Final = 5
"""As many parameters do not belong to a language model."""


@dataclass(frozen=True)
class Sections(Chunker):
    """One chunk for each section of a document's tree; chunks tile the document.

    Parameters
    ----------
    max : int
        A section of more tokens is cut at sentence ends, into the fewest parts that fit and as
        even as can be; a sentence longer than that is cut at line ends or spaces.
    min : int
        A chunk of fewer tokens joins a neighbour, which may then pass ``max`` by less than
        ``min`` tokens (0: never).
    tokenizer : {"cl100k", "minilm"}
        Whose tokens; see `ragtrial.text.counting`.
    merge : {"top-level", "neighbour"}
        Which neighbour a small chunk joins. "top-level": the following chunk of the same
        top-level section, else the preceding chunk if it has room, else the following one.
        "neighbour": the following chunk, else the preceding one if it has room.

    source : {"native", "induced"}
        Whose sections: the author's, by the headings; or those that a language model finds in the paragraphs without
        the headings, which stay part of the text (KMR's inducer, METHODS section 2.3). A document of which it gives
        nothing usable fails.
    model, url, key_variable, effort, provider, window, structured, omit
        The language model of "induced"; see `ragtrial.llm.options.ModelOptions`.
    max_tokens, seed : int
        The most tokens of its reply, and its seed.
    prompt, correction : str
        Its prompts: ragtrial's, or paths of one's own.

    The heading that is the document's title is no top-level section; those below it are.
    A joined chunk has the path of its longest part (tie: the earlier).
    """

    spec_name: ClassVar[str] = "sections"

    max: Annotated[int, Field(ge=1)] = 350
    min: Annotated[int, Field(ge=0)] = 60
    tokenizer: TokenizerName = "cl100k"
    merge: Literal["top-level", "neighbour"] = "top-level"
    source: Literal["native", "induced"] = "native"
    model: str | None = None
    url: str = "openai"
    key_variable: str | None = None
    effort: str | None = None
    provider: str | None = None
    window: Annotated[int, Field(ge=1)] | None = None
    structured: bool = True
    omit: tuple[str, ...] = ()
    max_tokens: Annotated[int, Field(ge=1)] = 4000
    seed: Annotated[int, Field(ge=0)] = 0
    prompt: str = "structure"
    correction: str = "structure-correction"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min > self.max:
            raise SpecError(f"{self.spec_name}: min is {self.min}, which is over max, {self.max}.")
        if self.asks_model:
            model_options(self)
        else:
            given = [field.name for field in fields(self)[_NATIVE:] if getattr(self, field.name) != field.default]
            if given:
                raise SpecError(f"{self.spec_name} takes {given[0]} with source='induced' alone.")

    @property
    def asks_model(self) -> bool:
        """Whether the chunker asks a language model."""
        return self.source == "induced"

    def parameters(self) -> dict[str, Any]:
        """Return every effective parameter as JSON-ready values: model and prompts by what they are."""
        given = super().parameters()
        if not self.asks_model:
            asking = {field.name for field in fields(self)[_NATIVE:]}
            return {name: value for name, value in given.items() if name not in asking}
        structure, correction = load_prompts(self.prompt, self.correction)
        return given | model_identity(self, structure) | {"correction": dict(correction.identity())}

    to_dict = parameters

    def prepare(self, documents: Sequence[Document]) -> None:
        """Ask for the sections of several documents at a time, so that `split` finds them."""
        if self.asks_model:
            self._induced([document for document in documents if document.text and not document.text.isspace()])

    def report(self, documents: Sequence[Document]) -> dict[str, Any] | None:
        """Return how usable the induced sections are, and how often a chunk is the author's own to the character."""
        if not self.asks_model:
            return None
        found = [(document, one) for document in documents for one in known_results([document], self._key())]
        usable = [(document, one.sections) for document, one in found if one.sections]
        outcomes = Counter(one.outcome for _, one in found)
        native = self._native()
        spans = [(piece.spans[0], document) for document, _ in usable for piece in self.split(document)]
        own = {(piece.spans[0], document) for document, _ in usable for piece in native.split(document)}
        return {
            "step": self.spec_name,
            "given": str(self),
            "documents": len(found),
            "usable": len(usable),
            **{outcome: outcomes[outcome] for outcome in ("verified", "corrected", "repaired", "unusable")},
            "sections_per_document": _mean([len(sections) for _, sections in usable]),
            "native_sections_per_document": _mean([len(document.sections) for document, _ in usable]),
            "chunks": len(spans),
            "identical_to_native": _mean([span in own for span in spans]),
        }

    def split(self, document: Document) -> list[Piece]:
        """Return the chunks of one document; one without usable induced sections raises `FailedDocumentsError`."""
        if not document.text or document.text.isspace():
            return []
        if self.asks_model:
            (induced,) = self._induced([document])
            if not induced.sections:
                reason = "no section of the model's could be used, nor after a correction"
                raise FailedDocumentsError.of({document.id: reason})
            document = replace(document, section_table=induced.sections)
        parts = list(self._parts(document))
        return [Piece((Span(part.start, part.end),), part.path) for part in self._joined(parts)]

    def _native(self) -> Sections:
        return Sections(self.max, self.min, self.tokenizer, self.merge)

    def _induced(self, documents: Sequence[Document]) -> list[Induced]:
        model, key = language_model(self), self._key()
        inducer = Inducer(model, *load_prompts(self.prompt, self.correction), self.max_tokens, self.seed)
        return results_of_documents(
            documents, [key] * len(documents), lambda place: inducer.induce(documents[place]), model.concurrency
        )

    def _key(self) -> Hashable:
        """Return what the sections of a document depend on beside it: not how they are cut and joined."""
        hashes = (prompt.sha256 for prompt in load_prompts(self.prompt, self.correction))
        return ("sections", model_options(self), self.max_tokens, self.seed, *hashes)

    def _parts(self, document: Document) -> Iterator[_Part]:
        tokens = tokenise(document.text, self.tokenizer)
        before = tokens.before([0, *(section.end for section in document.sections)]).tolist()
        tops = top_sections(document)
        for section, top, (first, last) in zip(document.sections, tops, pairwise(before), strict=True):
            whole = Span(section.start, section.end)
            if last - first > self.max:
                for span in split_evenly(document.text, whole, tokens, self.max):
                    yield _part(span, section, top, tokens.count(*span))
            elif whole.start < whole.end:
                yield _part(whole, section, top, last - first)

    def _joined(self, parts: list[_Part]) -> list[_Part]:
        waiting = deque(parts)
        done: list[_Part] = []
        while waiting:
            part = waiting.popleft()
            if part.size >= self.min:
                done.append(part)
            elif waiting and (self.merge == "neighbour" or waiting[0].top == part.top):
                waiting[0] = part.join(waiting[0])
            elif done and done[-1].size + part.size < self.max + self.min:
                done[-1] = done[-1].join(part)
            elif waiting:
                waiting[0] = part.join(waiting[0])
            else:
                done.append(part)
        return done


class _Part(NamedTuple):
    """A range on its way to a chunk: its tokens, its last part's top-level section, the longest part's path."""

    start: int
    end: int
    size: int
    top: int
    path: tuple[str, ...]
    longest: int

    def join(self, following: _Part) -> _Part:
        lead = following if following.longest > self.longest else self
        return _Part(self.start, following.end, self.size + following.size, following.top, lead.path, lead.longest)


def _part(span: Span, section: Section, top: int, size: int) -> _Part:
    return _Part(span.start, span.end, size, top, section.path, size)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
