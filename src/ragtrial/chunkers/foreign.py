"""What other libraries cut, found again in the text: pieces of text to exact spans, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ragtrial.documents.parts import Span
from ragtrial.errors import DataError
from ragtrial.text.folding import FoldedText, fold

__all__ = ["Cut", "find_in_order"]


class Cut(NamedTuple):
    """A chunk as a library gives it: its text and, where the library tells it, its place."""

    text: str
    place: tuple[int, int] | None = None


def find_in_order(source: str, cuts: Sequence[Cut]) -> list[Span]:
    """Return the span of each chunk on a text; chunks of blanks are left out.

    A place that a library tells is taken if the text there is the chunk's. Otherwise no chunk begins
    before the one before it does: it stands where that one ends, if the text goes on with it there, else
    at the first place that there is after it, else within it, as with splitters that overlap. Runs
    of white space count as one space where the chunk is not there as written, and the span is
    then that of the source.

    Raises
    ------
    DataError
        A chunk's text is not in the source in this order.
    """
    cuts = [cut for cut in cuts if cut.text.strip()]
    if (told := _told(source, cuts)) is not None:
        return told
    folded: FoldedText | None = None
    spans: list[Span] = []
    for look in (_next_to, _earliest, _loosest):
        spans = _placed(cuts, lambda cut, last, look=look: look(source, cut.text.strip(), last))  # type: ignore[misc]
        if len(spans) == len(cuts):
            return spans
        folded = folded or FoldedText(source)
        if len(found := _placed_folded(folded, cuts, look)) == len(cuts):
            return found
    missing = len(spans)
    text = " ".join(cuts[missing].text.split())
    raise DataError(
        f"chunk {missing + 1} of {len(cuts)} is not in the document after the chunk before it: "
        f"{(text if len(text) <= 80 else text[:77] + '...')!r}"
    )


Look = Callable[[str, str, Span], int]
"""Where a text stands in a source after a span, -1 for nowhere."""


def _told(source: str, cuts: Sequence[Cut]) -> list[Span] | None:
    spans: list[Span] = []
    for cut in cuts:
        if cut.place is None or source[cut.place[0] : cut.place[1]] != cut.text or cut.place[0] < 0:
            return None
        spans.append(Span(*cut.place))
    return spans


def _placed(cuts: Sequence[Cut], look: Callable[[Cut, Span], int]) -> list[Span]:
    """Return the spans of all chunks up to the first that is nowhere."""
    spans: list[Span] = []
    last = Span(0, 0)
    for cut in cuts:
        start = look(cut, last)
        if start < 0:
            break
        last = Span(start, start + len(cut.text.strip()))
        spans.append(last)
    return spans


def _placed_folded(folded: FoldedText, cuts: Sequence[Cut], look: Look) -> list[Span]:
    narrow = [Cut(fold(cut.text.strip())) for cut in cuts]
    spans = _placed(narrow, lambda cut, last: look(folded.text, cut.text, last))
    return [Span(folded.original(start), folded.original(end - 1) + 1) for start, end in spans]


def _next_to(source: str, text: str, last: Span) -> int:
    """Return the place right after the last span, blanks aside, or the earliest if the text does not go on so."""
    position = last.end
    while position < len(source) and source[position].isspace():
        position += 1
    return position if source.startswith(text, position) else _earliest(source, text, last)


def _earliest(source: str, text: str, last: Span) -> int:
    """Return the first place that does not begin before the last span and ends after it, or else lies within it."""
    found = source.find(text, max(last.start, last.end - len(text) + 1))
    return found if found >= 0 else source.find(text, last.start, last.end)


def _loosest(source: str, text: str, last: Span) -> int:
    """Return the first place that does not begin before the last span: found whenever there is any order."""
    return source.find(text, last.start)
