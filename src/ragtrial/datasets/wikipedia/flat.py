"""An article as flat text: its paragraphs are all the content, headings only make the tree (METHODS section 1)."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Section

__all__ = ["to_flat"]

_BETWEEN = "\n\n"


def to_flat(article: Document) -> Document:
    """Return the document without its headings: offsets are those at which each paragraph is written.

    A section without a paragraph of its own is no section of the flat document; the path of those below it keeps
    its title. Every block but a heading is a paragraph. Links and anchors are left out of ``meta``.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    starts: list[int] = []
    numbers: list[int] = []
    length = 0
    for block in article.blocks:
        if block.kind is Kind.HEADING:
            continue
        text = article.text[block.start : block.end]
        start = length + (len(_BETWEEN) if blocks else 0)
        length = start + len(text)
        parts.append(text)
        blocks.append(block._replace(start=start, end=length))
        starts.append(start)
        numbers.append(article.line_at(block.start))
    table = _sections(article, blocks, length)
    meta = {key: value for key, value in article.meta.items() if key not in ("links", "anchors")}
    return Document(
        article.id,
        _BETWEEN.join(parts),
        tuple(blocks),
        section_table=table or None,
        meta=MappingProxyType(meta),
        source=article.source,
        places=article.places._replace(starts=(0, *starts[1:]), numbers=tuple(numbers) or (1,))
        if article.places is not None
        else None,
    )


def _sections(article: Document, blocks: list[Block], length: int) -> tuple[Section, ...]:
    kept = [section for section in article.sections if section.first < section.last]
    starts = [*(blocks[section.first].start for section in kept), length]
    return tuple(
        section._replace(start=start, end=end) for section, (start, end) in zip(kept, pairwise(starts), strict=True)
    )
