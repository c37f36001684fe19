"""The free twin of enrichment: a chunk's first sentences and its keywords by TextRank (Mihalcea and Tarau 2004)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.chunkers.fields import Fields
from ragtrial.documents.parts import Block, Kind, Span
from ragtrial.prefixes.lead import lead_of
from ragtrial.require import require, version_of

__all__ = ["extract_fields", "library_version"]

_EXTRA: Final = "keywords"
_LIBRARY: Final = "rapid-textrank"
_PURPOSE: Final = "enriched('extractive'), on Python 3.11 or 3.12,"
"""The library has no build for later ones, where its extra installs nothing."""
_KEYWORDS: Final = 8
"""As many as a model is asked for at most."""
_SENTENCES: Final = 2
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def library_version() -> str:
    """Return the name and version of the library, on which the keywords depend."""
    return f"{_LIBRARY} {version_of(_LIBRARY, _EXTRA, _PURPOSE)}"


def extract_fields(chunks: ChunkSet) -> list[Fields]:
    """Return for each chunk a summary, its first two sentences, and up to eight keywords; no other field.

    Raises `MissingExtraError` without the library of the extra ``keywords``.
    """
    library = require("rapid_textrank", _EXTRA, _PURPOSE)
    fields: list[Fields] = []
    for document, numbers in zip(chunks.documents, chunks.ranges(), strict=True):
        prose = [block for block in document.blocks if block.kind is Kind.PARAGRAPH]
        ends = [block.end for block in prose]
        for number in numbers:
            inside = _inside(document.text, chunks.spans(number), prose, ends)
            fields.append(Fields(summary=lead_of(inside, _SENTENCES), keywords=_keywords(library, chunks.text(number))))
    return fields


def _inside(text: str, spans: Sequence[Span], prose: Sequence[Block], ends: Sequence[int]) -> Iterator[str]:
    """Yield what of the paragraphs lies in the spans; ``ends`` are theirs."""
    for start, end in spans:
        for block in prose[bisect_right(ends, start) :]:
            if block.start >= end:
                break
            yield text[max(block.start, start) : min(block.end, end)]


def _keywords(library: Any, text: str) -> tuple[str, ...]:
    found = library.extract_keywords(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text), top_n=_KEYWORDS)
    return tuple(phrase.text for phrase in found)
