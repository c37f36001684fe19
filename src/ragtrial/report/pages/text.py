"""A document's text as mark-up: evidence highlighted, and a mark where any arm's chunk begins or ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragtrial.report.words import clean

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["CHUNKS_MOST", "TEXT_MOST", "Boundaries", "Mark", "boundaries", "chunks_by_document", "marked_text"]

TEXT_MOST = 1_000_000
"""How many characters of one document a page shows."""

CHUNKS_MOST = 5_000
"""An arm with more chunks than this in one document is not drawn into it."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The chunks of one or several arms that cut a document alike: their names, and each chunk's ranges."""

    arms: tuple[str, ...]
    chunks: tuple[tuple[Range, ...], ...]

    @property
    def drawn(self) -> bool:
        """Whether they are few enough to be drawn."""
        return len(self.chunks) <= CHUNKS_MOST


@dataclass(frozen=True, slots=True)
class Mark:
    """One range of evidence, with the anchor of its first character and the address of its question."""

    start: int
    end: int
    anchor: str
    label: str
    target: str


def boundaries(chunks: Mapping[str, Sequence[tuple[Range, ...]]]) -> list[Boundaries]:
    """Return each way in which arms cut a document, with the arms that cut it so, in the order of the arms."""
    groups: dict[tuple[tuple[Range, ...], ...], list[str]] = {}
    for arm, own in chunks.items():
        groups.setdefault(tuple(own), []).append(arm)
    return [Boundaries(tuple(arms), own) for own, arms in groups.items()]


def marked_text(text: str, marks: Sequence[Mark], groups: Sequence[Boundaries]) -> Markup:
    """Return the text as mark-up; without its tags it is the text again, but for control characters and line ends.

    A chunk's beginning is an empty element of the class of its group, which a page shows when that group is chosen; its
    end is one only where no chunk begins there. The first ``TEXT_MOST`` characters are shown.
    """
    from markupsafe import Markup, escape

    shown = text[:TEXT_MOST]
    cuts = _cuts(groups, len(shown))
    opened: dict[int, list[Mark]] = {}
    for mark in marks:
        if mark.start < len(shown):
            opened.setdefault(mark.start, []).append(mark)
    ends = {min(mark.end, len(shown)) for mark in marks}
    places = sorted({0, len(shown), *cuts, *opened, *ends})
    parts: list[str] = []
    for place, following in zip(places, [*places[1:], len(shown)], strict=True):
        parts += cuts.get(place, ())
        parts += [_tag(mark) for mark in opened.get(place, ())]
        piece = escape(_lines(shown[place:following], shown[following : following + 1]))
        if piece:
            inside = any(mark.start <= place < mark.end for mark in marks)
            parts.append(f"<mark>{piece}</mark>" if inside else str(piece))
    return Markup("".join(parts))  # noqa: S704  # every text in it was escaped


def _lines(piece: str, following: str) -> str:
    """Return a piece of a text as a page shows it; a line end that goes on in the next piece is left to that."""
    whole = piece[:-1] if piece.endswith("\r") and following == "\n" else piece
    return clean(whole.replace("\r\n", "\n").replace("\r", "\n"))


def _tag(mark: Mark) -> str:
    from markupsafe import escape

    return f'<a class="tag" id="{escape(mark.anchor)}" href="{escape(mark.target)}">{escape(mark.label)}</a>'


def _cuts(groups: Sequence[Boundaries], length: int) -> dict[int, list[str]]:
    cuts: dict[int, list[str]] = {}
    for number, group in enumerate(groups):
        if not group.drawn:
            continue
        begins = {span[0] for spans in group.chunks for span in spans}
        for index, spans in enumerate(group.chunks):
            for place, (start, end) in enumerate(spans):
                if start < length:
                    anchor = f' id="g{number}-{index}"' if not place else ""
                    cuts.setdefault(start, []).append(f'<i class="cut g{number}"{anchor} data-n="{index}"></i>')
                if end < length and end not in begins:
                    cuts.setdefault(end, []).append(f'<i class="cut end g{number}" data-n="{index}"></i>')
    return cuts


def chunks_by_document(rows: Any) -> dict[str, dict[str, list[tuple[Range, ...]]]]:
    """Return the ranges of each document's chunks by arm, from rows of ``arm, document, starts, ends``."""
    found: dict[str, dict[str, list[tuple[Range, ...]]]] = {}
    for arm, document, starts, ends in rows:
        found.setdefault(document, {}).setdefault(arm, []).append(tuple(zip(starts, ends, strict=True)))
    return found
