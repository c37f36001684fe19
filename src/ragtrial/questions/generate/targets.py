"""What questions are to be asked about: spans that are picked by a fixed seed, before any model is asked.

- factoid: one paragraph;
- underspecified: one paragraph, whose subject the question names only vaguely;
- multihop: two paragraphs of different top-level sections;
- structural: a whole top-level section.

The draw of a document depends on the seed and its id only, so another document changes nothing for it.
Source: METHODS section 7 (KMR 4.1).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias, get_args

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.documents.title import top_sections
from ragtrial.text.words import unicode_words

__all__ = ["TYPES", "QuestionType", "Sampling", "Target", "pick_targets"]

QuestionType: TypeAlias = Literal["factoid", "underspecified", "multihop", "structural"]

TYPES: Final[tuple[QuestionType, ...]] = get_args(QuestionType)
"""The four types, in the order of tables."""


@dataclass(frozen=True)
class Target:
    """The evidence of one question that is to be asked; ``spans`` are ranges of the document's text."""

    type: QuestionType
    document: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]

    @property
    def id(self) -> str:
        """A name made of what the target is: the same draw always has the same one."""
        place = ",".join(f"{span.start}-{span.end}" for span in self.spans)
        name = "\0".join((self.document, place, *self.texts)).encode("utf-8", "surrogatepass")
        return f"{self.type}-{hashlib.sha256(name).hexdigest()[:12]}"


@dataclass(frozen=True)
class Sampling:
    """How targets are picked.

    - ``per_document``: the most targets of each type in a document;
    - ``min_words``, ``max_words``: of a paragraph that is evidence;
    - ``max_section_words``: of a whole section that is; longer ones are never picked;
    - ``seed``.
    """

    per_document: int = 2
    min_words: int = 30
    max_words: int = 400
    max_section_words: int = 2_000
    seed: int = 0


def pick_targets(document: Document, sampling: Sampling = Sampling()) -> tuple[Target, ...]:
    """Return a document's targets, type by type; fewer than asked for where it has no such spans."""
    sections = [_usable(document, spans, sampling) for spans in _paragraphs_by_top(document)]
    one = [(span,) for spans in sections for span in spans]
    whole = [(span,) for span in _whole_sections(document, sampling)]
    chosen: list[Target] = []
    for kind in TYPES:
        draw = _generator(sampling.seed, document.id, kind)
        if kind == "multihop":
            picked = _pairs(sections, sampling.per_document, draw)
        else:
            pool = whole if kind == "structural" else one
            picked = draw.sample(pool, min(sampling.per_document, len(pool)))
        chosen += [_target(kind, document, spans) for spans in sorted(picked)]
    return tuple(chosen)


def _target(kind: QuestionType, document: Document, spans: tuple[Span, ...]) -> Target:
    return Target(kind, document.id, spans, tuple(document.text[span.start : span.end] for span in spans))


def _generator(*name: object) -> random.Random:
    # A hash of the words, since Python's own differs from process to process.
    digest = hashlib.sha256("\0".join(map(str, name)).encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311  # a published sample, not a secret


def _paragraphs_by_top(document: Document) -> Iterator[list[Span]]:
    numbered = zip(top_sections(document), document.sections, strict=True)
    for _, rows in groupby(numbered, key=lambda row: row[0]):
        yield [span for _, section in rows for span in document.paragraphs[section.first : section.last]]


def _usable(document: Document, spans: list[Span], sampling: Sampling) -> list[Span]:
    return [
        span
        for span in spans
        if sampling.min_words <= len(unicode_words(document.text[span.start : span.end])) <= sampling.max_words
    ]


def _whole_sections(document: Document, sampling: Sampling) -> Iterator[Span]:
    """Yield each top-level section of two paragraphs at least, from its first paragraph to the end of its last one."""
    for spans in _paragraphs_by_top(document):
        if len(spans) < 2:
            continue
        span = Span(spans[0].start, spans[-1].end)
        words = len(unicode_words(document.text[span.start : span.end]))
        if sampling.min_words <= words <= sampling.max_section_words:
            yield span


def _pairs(sections: list[list[Span]], wanted: int, draw: random.Random) -> list[tuple[Span, ...]]:
    """Draw pairs of paragraphs of different sections, no pair of sections twice as long as there are others."""
    filled = [spans for spans in sections if spans]
    pairs = [(one, two) for one in range(len(filled)) for two in range(one + 1, len(filled))]
    chosen = draw.sample(pairs, min(wanted, len(pairs)))
    return [(draw.choice(filled[one]), draw.choice(filled[two])) for one, two in chosen]
