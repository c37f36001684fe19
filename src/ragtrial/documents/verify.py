"""Mechanical verification of a document's segmentation (METHODS section 1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ragtrial.documents.parts import DEEPEST_LEVEL, Block, Section, Span

__all__ = ["violations"]


def violations(
    text: str,
    blocks: Sequence[Block],
    sections: Sequence[Section],
    paragraphs: Sequence[Span],
    *,
    induced: bool = False,
) -> list[str]:
    """Return every violation as a sentence; an empty list means verified.

    Checked: blocks are in bounds and in order with only blanks between them; sections
    tile the characters and the paragraph table; their offsets agree with it;
    levels are 1 to 4. With ``induced``, no section is empty and a level rises by at
    most one from one section to the next (METHODS sections 1 and 2.3).
    """
    found = _block_faults(text, blocks)
    found += _tiling_faults(sections, len(text), len(paragraphs))
    for number, section in enumerate(sections):
        found += _section_faults(number, section, paragraphs, induced=induced)
    if induced:
        for number, (before, section) in enumerate(pairwise(sections), start=1):
            if section.level > before.level + 1:
                found.append(f"section {number}: the level rises from {before.level} to {section.level}")
    return found


def _block_faults(text: str, blocks: Sequence[Block]) -> list[str]:
    found = []
    position = 0
    for number, block in enumerate(blocks):
        if not position <= block.start <= block.end <= len(text):
            found.append(f"block {number}: [{block.start}, {block.end}) is out of bounds or out of order")
            continue
        if text[position : block.start].strip("\ufeff").strip():
            found.append(f"block {number}: text before offset {block.start} belongs to no block")
        position = block.end
    if text[position:].strip("\ufeff").strip():
        found.append(f"text after offset {position} belongs to no block")
    return found


def _tiling_faults(sections: Sequence[Section], length: int, n_paragraphs: int) -> list[str]:
    if not sections:
        return ["there is no section"]
    found = []
    edges = [(0, 0), *((section.end, section.last) for section in sections)]
    for number, (section, (end, last)) in enumerate(zip(sections, edges, strict=False)):
        if section.start != end:
            found.append(f"section {number}: starts at character {section.start}, not {end}")
        if section.first != last:
            found.append(f"section {number}: starts at paragraph {section.first}, not {last}")
    end, last = edges[-1]
    if end != length:
        found.append(f"the last section ends at character {end}, not {length}")
    if last != n_paragraphs:
        found.append(f"the last section ends at paragraph {last}, not {n_paragraphs}")
    return found


def _section_faults(number: int, section: Section, paragraphs: Sequence[Span], *, induced: bool) -> list[str]:
    found = []
    if not 1 <= section.level <= DEEPEST_LEVEL:
        found.append(f"section {number}: level {section.level} is not 1 to {DEEPEST_LEVEL}")
    if not 0 <= section.first <= section.last <= len(paragraphs):
        found.append(f"section {number}: paragraphs [{section.first}, {section.last}) are out of bounds")
    elif section.first < section.last:
        start, end = paragraphs[section.first].start, paragraphs[section.last - 1].end
        if not section.start <= start <= end <= section.end:
            found.append(f"section {number}: its paragraphs [{start}, {end}) leave [{section.start}, {section.end})")
    elif induced:
        found.append(f"section {number}: is empty")
    return found
