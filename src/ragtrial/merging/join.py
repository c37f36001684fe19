"""From bins to a chunk set: what a chunk made of several keeps of each (METHODS section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragtrial.chunkers.chunkset import ChunkSet, Generated
from ragtrial.chunkers.fields import Fields, render, united
from ragtrial.documents.parts import Span
from ragtrial.merging.bins import SEPARATOR, Bins

__all__ = ["join_bins", "put_orphans_in_context", "with_keys"]


def join_bins(chunks: ChunkSet, generated: Generated, bins: Sequence[Bins]) -> ChunkSet:
    """Return the set in which the chunks of each bin are one.

    A merged chunk has the spans of all its members, and its text is theirs joined by a blank line; exact slices that
    touch are one slice. Path and prefix are those of the first member, with the united fields in place of its own.

    Parameters
    ----------
    chunks : ChunkSet
        Without text behind chunks.
    generated : Generated
        What was generated for these chunks.
    bins : sequence of Bins, one a document
        The chunks of each document by their number in it.
    """
    if all(len(document) == len(numbers) for document, numbers in zip(bins, chunks.ranges(), strict=True)):
        return chunks
    members = [
        [numbers[number] for number in group]
        for document, numbers in zip(bins, chunks.ranges(), strict=True)
        for group in document
    ]
    firsts = [group[0] for group in members]
    by_group = [[span for number in group for span in chunks.spans(number)] for group in members]
    if chunks.joiner is None:
        by_group = [_touching_joined(spans) for spans in by_group]
    widths = [len(spans) for spans in by_group]
    spans = [span for group in by_group for span in group]
    fields = tuple(
        united([generated.fields[number] for number in group]) if len(group) > 1 else generated.fields[group[0]]
        for group in members
    )
    return replace(
        chunks,
        document=chunks.document[firsts],
        offsets=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths, dtype=np.int64)]),
        starts=np.array([span.start for span in spans], dtype=np.int64),
        ends=np.array([span.end for span in spans], dtype=np.int64),
        paths=tuple(chunks.paths[number] for number in firsts),
        prefixes=tuple(_prefix(chunks, generated, first, new) for first, new in zip(firsts, fields, strict=True)),
        suffixes=("",) * len(members),
        joiner=SEPARATOR if chunks.joiner is not None or max(widths) > 1 else None,
        generated=Generated(fields, generated.shown, tuple(generated.behind[number] for number in firsts)),
    )


def _touching_joined(spans: Sequence[Span]) -> list[Span]:
    joined = [spans[0]]
    for span in spans[1:]:
        if span.start == joined[-1].end:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined


def _prefix(chunks: ChunkSet, generated: Generated, first: int, fields: Fields | None) -> str:
    before, behind = generated.around(first, chunks.prefixes[first])
    return before + render(fields, generated.shown) + behind


def with_keys(chunks: ChunkSet, generated: Generated, keys: Sequence[str]) -> ChunkSet:
    """Return the set with other keys, one a chunk, also where a prefix shows them."""
    fields = tuple(
        None if own is None else own._replace(key=key) for own, key in zip(generated.fields, keys, strict=True)
    )
    prefixes = [_prefix(chunks, generated, number, own) for number, own in enumerate(fields)]
    return replace(chunks.with_prefixes(prefixes), generated=replace(generated, fields=fields))


def put_orphans_in_context(chunks: ChunkSet, generated: Generated, shorter_than: int) -> tuple[ChunkSet, int]:
    """Put lines that tell where they stand before short chunks without a key; return the set and their number.

    ``[Section: path]``, ``[Previous: summary]`` and ``[Next: summary]``, those of which there is something to say, and
    a blank line, directly before the text (MDK appendix N.3). The study makes them part of the text; here they are of
    the prefix, so that evidence is matched on the document's own words in every arm.
    """
    prefixes, behind = list(chunks.prefixes), list(generated.behind)
    count = 0
    for numbers in chunks.ranges():
        for number in numbers:
            fields = generated.fields[number]
            if (fields is not None and fields.key) or len(chunks.texts[number]) >= shorter_than:
                continue
            lines = _context(chunks, generated, number, numbers)
            count += bool(lines)
            prefixes[number] += lines
            behind[number] += len(lines)
    changed = replace(generated, behind=tuple(behind))
    return replace(chunks.with_prefixes(prefixes), generated=changed), count


def _context(chunks: ChunkSet, generated: Generated, number: int, own: range) -> str:
    def summary(neighbour: int) -> str:
        fields = generated.fields[neighbour] if neighbour in own else None
        return fields.summary if fields is not None else ""

    said = {
        "Section": " > ".join(chunks.paths[number]),
        "Previous": summary(number - 1),
        "Next": summary(number + 1),
    }
    lines = [f"[{name}: {text}]" for name, text in said.items() if text]
    return "\n".join(lines) + "\n\n" if lines else ""
