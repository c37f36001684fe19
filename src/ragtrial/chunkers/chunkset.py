"""Chunks: a columnar set for a million of them, and a view of one.

A chunk is made of source spans of its document. With ``joiner=None`` it has one
span and its text is exactly that slice; otherwise its text is its spans joined by
``joiner`` with line ends normalised (the study's re-joined blocks).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ragtrial.chunkers.fields import FieldName, Fields, render
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.errors import UsageError
from ragtrial.text import tokens

__all__ = ["Chunk", "ChunkSet", "Generated", "Piece", "normalise_line_ends", "text_of"]

Offsets = npt.NDArray[np.int64]


class Piece(NamedTuple):
    """What a chunker says about one chunk: its spans, its section path, and text to put before it."""

    spans: tuple[Span, ...]
    path: tuple[str, ...] = ()
    prefix: str = ""


class Chunk(NamedTuple):
    """One chunk of a document.

    ``spans`` are half-open character ranges of the document's text; ``prefix`` is
    text that is indexed before the chunk, ``suffix`` behind it, and neither is ever part of ``text``. ``index`` is the
    chunk's number in its document, from 0. ``fields`` is what a step generated for it, if one did.
    """

    document: str
    index: int  # type: ignore[assignment]  # the field's own name, though tuples have a method of that name
    text: str
    path: tuple[str, ...]
    spans: tuple[Span, ...]
    prefix: str = ""
    fields: Fields | None = None
    suffix: str = ""

    @property
    def start_index(self) -> int:
        """The first character of the chunk in its document."""
        return self.spans[0].start

    @property
    def end_index(self) -> int:
        """The end of the chunk's last span in its document."""
        return self.spans[-1].end

    @property
    def token_count(self) -> int:
        """The number of cl100k_base tokens of the chunk's own text, without its prefix."""
        return tokens.count(self.text)

    @property
    def indexed_text(self) -> str:
        """What a retriever sees: the prefix, the text and the suffix."""
        return self.prefix + self.text + self.suffix

    def to_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; ``prefix``, ``suffix`` and ``fields`` are in it only where there are any."""
        row: dict[str, object] = {
            "document": self.document,
            "index": self.index,
            "text": self.text,
            "path": list(self.path),
            "spans": [list(span) for span in self.spans],
            "tokens": self.token_count,
        }
        if self.prefix:
            row["prefix"] = self.prefix
        if self.suffix:
            row["suffix"] = self.suffix
        if self.fields is not None:
            row["fields"] = self.fields.to_dict()
        return row


@dataclass(frozen=True, eq=False)
class Generated:
    """What a step generated for the chunks of a set, and where it stands in their prefixes.

    Parameters
    ----------
    fields : tuple of Fields or None, length chunks
        None for a chunk for which no usable reply came.
    shown : tuple of str
        The fields that are indexed, in this order.
    behind : tuple of int, length chunks
        How many characters of the prefix stand between the rendered fields and the text: what earlier steps put there.
        Later steps put theirs in front.
    """

    fields: tuple[Fields | None, ...]
    shown: tuple[FieldName, ...]
    behind: tuple[int, ...]

    def rendered(self, number: int) -> str:
        """Return what of a chunk's prefix shows its fields."""
        return render(self.fields[number], self.shown)

    def around(self, number: int, prefix: str) -> tuple[str, str]:
        """Return what of a chunk's prefix stands before its rendered fields, and what stands behind them."""
        end = len(prefix) - self.behind[number]
        return prefix[: end - len(self.rendered(number))], prefix[end:]


@dataclass(frozen=True, eq=False)
class ChunkSet(Sequence[Chunk]):
    """All chunks of an arm over a corpus, in document order; iterating gives `Chunk` views.

    Parameters
    ----------
    documents : tuple of Document
    document : int64 array, shape (chunks,)
        The number of each chunk's document in ``documents``; never decreases.
    offsets : int64 array, shape (chunks + 1,)
        Chunk ``i`` has the spans ``offsets[i]`` to ``offsets[i + 1]``.
    starts, ends : int64 arrays, shape (spans,)
        Character ranges in the chunk's document.
    paths : tuple, length chunks
        Section paths as tuples of titles.
    prefixes, suffixes : tuples of str, length chunks
        Text indexed before each chunk and behind it; "" where there is none.
    joiner : str or None
        None: one span a chunk, text is the exact slice. Else what stands between spans.
    generated : Generated, optional
        What a step generated for each chunk.
    reports : tuple of mappings
        What the steps counted, in their order; each with its ``step``, JSON-ready.
    """

    documents: tuple[Document, ...]
    document: Offsets
    offsets: Offsets
    starts: Offsets
    ends: Offsets
    paths: tuple[tuple[str, ...], ...]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    joiner: str | None = None
    generated: Generated | None = None
    reports: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def build(
        cls, documents: Iterable[Document], pieces: Iterable[Sequence[Piece]], *, joiner: str | None = None
    ) -> Self:
        """Make a set from each document's pieces, in order."""
        kept: list[Document] = []
        counts: list[int] = []
        flat: list[Piece] = []
        for document, parts in zip(documents, pieces, strict=True):
            kept.append(document)
            counts.append(len(parts))
            flat.extend(parts)
        spans = np.array([span for piece in flat for span in piece.spans], dtype=np.int64).reshape(-1, 2)
        widths = np.array([len(piece.spans) for piece in flat], dtype=np.int64)
        return cls(
            documents=tuple(kept),
            document=np.repeat(np.arange(len(kept), dtype=np.int64), counts),
            offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)]),
            starts=np.ascontiguousarray(spans[:, 0]),
            ends=np.ascontiguousarray(spans[:, 1]),
            paths=tuple(piece.path for piece in flat),
            prefixes=tuple(piece.prefix for piece in flat),
            suffixes=("",) * len(flat),
            joiner=joiner,
        )

    def __len__(self) -> int:
        return len(self.document)

    def __getitem__(self, index: int) -> Chunk:  # type: ignore[override]  # views are made one at a time
        number = range(len(self))[index]
        position = int(self.document[number])
        first = int(np.searchsorted(self.document, position))
        return Chunk(
            document=self.documents[position].id,
            index=number - first,
            text=self.text(number),
            path=self.paths[number],
            spans=self.spans(number),
            prefix=self.prefixes[number],
            suffix=self.suffixes[number],
            fields=None if self.generated is None else self.generated.fields[number],
        )

    def __iter__(self) -> Iterator[Chunk]:
        return (self[number] for number in range(len(self)))

    def spans(self, number: int) -> tuple[Span, ...]:
        """Return the source spans of a chunk."""
        first, last = int(self.offsets[number]), int(self.offsets[number + 1])
        starts, ends = self.starts[first:last].tolist(), self.ends[first:last].tolist()
        return tuple(Span(start, end) for start, end in zip(starts, ends, strict=True))

    def text(self, number: int) -> str:
        """Return a chunk's own text."""
        source = self.documents[int(self.document[number])].text
        return text_of(source, self.spans(number), self.joiner)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The chunks' own texts."""
        if self.joiner is not None:
            return tuple(self.text(number) for number in range(len(self)))
        sources = [document.text for document in self.documents]
        columns = zip(self.document.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True)
        return tuple(sources[number][start:end] for number, start, end in columns)

    @property
    def indexed_texts(self) -> tuple[str, ...]:
        """What a retriever sees: each chunk's prefix, text and suffix."""
        return tuple(map("".join, zip(self.prefixes, self.texts, self.suffixes, strict=True)))

    @property
    def has_added_text(self) -> bool:
        """Whether any chunk is indexed with text that is not its own."""
        return any(self.prefixes) or any(self.suffixes)

    def with_prefixes(self, prefixes: Sequence[str]) -> Self:
        """Return the same chunks with other prefixes, one a chunk."""
        if len(prefixes) != len(self):
            raise UsageError(f"{len(self)} chunks need as many prefixes, not {len(prefixes)}.")
        return self._changed(prefixes=tuple(prefixes))

    def with_suffixes(self, suffixes: Sequence[str]) -> Self:
        """Return the same chunks with other suffixes, one a chunk."""
        if len(suffixes) != len(self):
            raise UsageError(f"{len(self)} chunks need as many suffixes, not {len(suffixes)}.")
        return self._changed(suffixes=tuple(suffixes))

    def with_fields(self, fields: Sequence[Fields | None], shown: tuple[FieldName, ...]) -> Self:
        """Return the same chunks with generated fields, those of ``shown`` in front of the prefixes that they have."""
        generated = Generated(tuple(fields), shown, tuple(map(len, self.prefixes)))
        rendered = (generated.rendered(number) + prefix for number, prefix in enumerate(self.prefixes))
        return self._changed(prefixes=tuple(rendered), generated=generated)

    def noting(self, report: Mapping[str, Any]) -> Self:
        """Return the same chunks with what a step counted added to the reports."""
        return self._changed(reports=(*self.reports, report))

    def ranges(self) -> list[range]:
        """Return the numbers of each document's chunks, document after document."""
        edges = np.searchsorted(self.document, np.arange(len(self.documents) + 1)).tolist()
        return [range(first, last) for first, last in pairwise(edges)]

    def _changed(self, **columns: Any) -> Self:
        changed = replace(self, **columns)
        if "texts" in self.__dict__:
            # The texts are the same objects: an arm that only adds a prefix does not slice again.
            changed.__dict__["texts"] = self.__dict__["texts"]
        return changed


def text_of(source: str, spans: Sequence[Span], joiner: str | None) -> str:
    """Return the text of a chunk: the slice of its one span, or its normalised spans with ``joiner`` between them."""
    if joiner is None:
        start, end = spans[0]
        return source[start:end]
    return joiner.join([normalise_line_ends(source[start:end]) for start, end in spans])


def normalise_line_ends(text: str) -> str:
    """Return the text with CRLF and lone CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
