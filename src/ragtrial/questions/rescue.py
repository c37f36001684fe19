"""What is not in the documents as it was written: sections by their names, and quotes by their likeness."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from unicodedata import decimal

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.questions.locate import Located, Quote, SectionRef, Wanted
from ragtrial.questions.model import Evidence
from ragtrial.questions.sections import SectionIndex, Target, content_of
from ragtrial.text.folding import FoldedText, fold
from ragtrial.text.words import unicode_words

__all__ = ["LEAST_LIKENESS", "Nearest", "nearest_text", "numbers", "rescue"]

LEAST_LIKENESS = 90.0
"""The least likeness, 0 to 100, at which a quote is taken for a text: 100 x (1 - edits / length), rapidfuzz's
``partial_ratio``, white space folded. At 90, one character in ten may be wrong, but no digit."""

_SHORTEST = 20
_CANDIDATES = 5
_TRIES = 10
_GONE = "\N{NULL}"
_NUMBER = re.compile(r"\d+")
_REFERENCE = re.compile(r"\S*#\S+|[^\n]+? > [^\n]+")


class Nearest(NamedTuple):
    """The text that is most like a quote: where it stands, what it is, and its likeness, 0 to 100."""

    document: str
    span: Span
    text: str
    likeness: float


def rescue(missing: Mapping[int, Wanted], documents: Iterable[Document]) -> dict[int, Located | str]:
    """Look for what was not found as written.

    A text such as ``page#anchor`` or ``page > Section > Subsection`` names a section; its evidence is the
    section's own text. Any other quote of at least 20 characters is taken for the text that is most like it,
    if that is like enough (`LEAST_LIKENESS`); this needs the extra ``fuzzy``.

    Returns
    -------
    dict
        For each number either what was found or a sentence why not; numbers of quotes
        for which nothing more can be said are missing.
    """
    held = list(documents)
    index = SectionIndex(held)
    found: dict[int, Located | str] = {}
    for number, wanted in missing.items():
        if isinstance(wanted, SectionRef):
            found[number] = _section(index, wanted.name, wanted.document)
        elif isinstance(wanted, Quote):
            if _REFERENCE.fullmatch(wanted.text.strip()):
                named = _section(index, wanted.text.strip(), wanted.document)
                if isinstance(named, Located):
                    found[number] = named
                    continue
            near = nearest_text(wanted, held, LEAST_LIKENESS, same_numbers=True)
            if near is not None:
                evidence = Evidence(near.text, near.document, (near.span,))
                found[number] = Located(evidence, exact=False, similarity=near.likeness)
    return found


def _section(index: SectionIndex, name: str, document: str | None) -> Located | str:
    target = index.by_name(name, document)
    if not isinstance(target, Target):
        return target
    content = content_of(target.document, target.section)
    if content is None:
        return f"the section {name!r} has no text"
    text = target.document.text[content.start : content.end]
    return Located(Evidence(text, target.document.id, (content,)))


def nearest_text(
    quote: Quote, documents: Iterable[Document], least: float = 0.0, *, same_numbers: bool = False
) -> Nearest | None:
    """Return the text that is most like a quote, or None if none is like enough or rapidfuzz is not installed.

    Only the five documents that hold most of the quote's words are compared. With ``same_numbers`` a text
    counts only if its digits are the quote's: what differs by a slip is the same text, what
    differs by a number is another row of the table. The ten likest places of a document are tried.
    """
    needle = fold(quote.text.strip())
    try:
        from rapidfuzz import fuzz
    except ImportError:
        return None
    best: Nearest | None = None
    if len(needle) < _SHORTEST:
        return None
    for document in _candidates(quote, documents):
        folded = FoldedText(document.text)
        text = folded.text
        for _ in range(_TRIES if same_numbers else 1):
            match = fuzz.partial_ratio_alignment(needle, text, score_cutoff=max(least, best.likeness if best else 0))
            if match is None or match.dest_start == match.dest_end or (best and match.score <= best.likeness):
                break
            start, end = _whole_words(folded.text, match.dest_start, match.dest_end)
            if start < end and not (same_numbers and numbers(folded.text[start:end]) != numbers(needle)):
                span = Span(folded.original(start), folded.original(end - 1) + 1)
                best = Nearest(document.id, span, document.text[span.start : span.end], match.score)
                break
            # Out of the way of the next try, in a text of the same length.
            text = text[:start] + _GONE * (end - start) + text[end:]
    return best


def numbers(text: str) -> list[str]:
    """Return the runs of digits of a text, in order, in ASCII digits whatever their script."""
    return ["".join(str(decimal(digit)) for digit in run) for run in _NUMBER.findall(text)]


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a range to the ends of the words that it cuts, and take blanks off it."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    while start and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        end += 1
    return start, end


def _candidates(quote: Quote, documents: Iterable[Document]) -> Iterator[Document]:
    words = set(unicode_words(quote.text))
    rated = [
        (-len(words & set(unicode_words(document.text))), number, document)
        for number, document in enumerate(documents)
        if quote.document in (None, document.id)
    ]
    return (document for shared, _, document in sorted(rated, key=lambda row: row[:2])[:_CANDIDATES] if shared)
