"""Where evidence stands: quotes and ranges to exact spans of documents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Span
from ragtrial.errors import DataError
from ragtrial.questions.model import Evidence, Place
from ragtrial.text.folding import FoldedText, fold

__all__ = ["Located", "Quote", "SectionRef", "Wanted", "find_quote", "locate"]

_RUN = re.compile(r"\s+")


class Quote(NamedTuple):
    """A text to look for, in one document or, with None, in all."""

    text: str
    document: str | None = None


class SectionRef(NamedTuple):
    """A section by its name: ``page#anchor`` or ``page > Section > Subsection``."""

    name: str
    document: str | None = None


Wanted: TypeAlias = Quote | Place | SectionRef


class Located(NamedTuple):
    """Evidence with its span, and how it was found.

    ``exact``: as written, not only with white space folded; ``ambiguous``: in more than one
    place; ``similarity``: under 100 for a quote that was found by its likeness.
    """

    evidence: Evidence
    exact: bool = True
    ambiguous: bool = False
    similarity: float = 100.0


def find_quote(text: str, quote: str) -> Span | None:
    """Return the first place of a quote in a text: as written, else with white space folded.

    A run of white space counts as one space in both; white space around the quote does
    not count. Time is linear in the text.
    """
    needle = quote.strip()
    found = _find_exact(text, needle)
    if not found and _RUN.search(needle):
        found = _find_folded(FoldedText(text), fold(needle))
    return found[0] if found else None


def _find_exact(text: str, needle: str) -> list[Span]:
    return [Span(start, start + len(needle)) for start in _starts(text, needle)]


def _find_folded(folded: FoldedText, needle: str) -> list[Span]:
    return [
        Span(folded.original(start), folded.original(start + len(needle) - 1) + 1)
        for start in _starts(folded.text, needle)
    ]


def _starts(text: str, needle: str) -> list[int]:
    """Return the first two places; more are not needed to know that a quote is ambiguous."""
    first = text.find(needle) if needle else -1
    if first < 0:
        return []
    second = text.find(needle, first + 1)
    return [first] if second < 0 else [first, second]


def locate(wanted: Sequence[Wanted], documents: Iterable[Document]) -> list[Located | str]:
    """Find each wanted evidence in one pass over the documents.

    Parameters
    ----------
    wanted : sequence of Quote, Place or SectionRef
        Sections are left to `ragtrial.questions.rescue`.
        A quote is taken from the first document that has it as written; only if none
        has, from the first that has it with white space folded.
    documents : iterable of Document
        Looked at one at a time, in this order.

    Returns
    -------
    list of Located or str
        In the order of ``wanted``; a string is the reason why it is not located.

    Raises
    ------
    DataError
        Two documents have one id.
    """
    ranges: dict[str, list[tuple[int, Place]]] = defaultdict(list)
    searches: dict[int, _Search] = {}
    found: list[Located | str] = []
    for number, item in enumerate(wanted):
        found.append(f"there is no document {item.document!r}")
        if isinstance(item, Place):
            ranges[item.document].append((number, item))
        elif isinstance(item, SectionRef):
            found[number] = "a section is found among all documents"
        else:
            searches[number] = _Search(item)
    index = _QuoteIndex(searches.values())
    known: set[str] = set()
    for document in documents:
        if document.id in known:
            raise DataError(f"There are two documents with one id, {document.id!r}.")
        known.add(document.id)
        for number, item in ranges.get(document.id, ()):
            found[number] = _cut(document, item)
        folded: FoldedText | None = None
        for search in index.candidates(document):
            folded = search.look(document, folded)
    for number, search in searches.items():
        found[number] = search.result(known)
    return found


def _cut(document: Document, item: Place) -> Located | str:
    if item.end > len(document.text):
        return (
            f"the range [{item.start}, {item.end}) is outside document {document.id!r}, "
            f"which has {len(document.text)} characters"
        )
    text = document.text[item.start : item.end]
    return Located(Evidence(text, document.id, (Span(item.start, item.end),)))


class _Search:
    """A quote on its way through the documents."""

    def __init__(self, quote: Quote) -> None:
        self.quote = quote
        self.needle = quote.text.strip()
        # Without white space in it, a quote that is not there as written is not there folded.
        self.folded_needle = fold(self.needle) if _RUN.search(self.needle) else ""
        self.exact: Evidence | None = None
        self.folded: Evidence | None = None
        self.exact_places = 0
        self.folded_places = 0

    def look(self, document: Document, folded: FoldedText | None) -> FoldedText | None:
        """Look into one document; return its folded text if that was made."""
        if self.exact_places > 1:
            return folded
        spans = _find_exact(document.text, self.needle)
        if spans:
            self.exact_places += len(spans)
            self.exact = self.exact or self._evidence(document, spans)
        elif self.exact is None and self.folded_needle and self.folded_places < 2:
            folded = folded or FoldedText(document.text)
            spans = _find_folded(folded, self.folded_needle)
            if spans:
                self.folded_places += len(spans)
                self.folded = self.folded or self._evidence(document, spans)
        return folded

    def result(self, known: set[str]) -> Located | str:
        """Return the evidence, or the reason why there is none, after all documents."""
        if self.exact is not None:
            return Located(self.exact, exact=True, ambiguous=self.exact_places > 1)
        if self.folded is not None:
            return Located(self.folded, exact=False, ambiguous=self.folded_places > 1)
        place = self.quote.document
        if place is not None and place not in known:
            return f"there is no document {place!r}"
        where = "any document" if place is None else f"document {place!r}"
        return f"the quote {_short(self.quote.text)} is not in {where}"

    def _evidence(self, document: Document, spans: list[Span]) -> Evidence:
        return Evidence(self.quote.text, document.id, (spans[0],))


class _QuoteIndex:
    """Which quotes may stand in a document, without looking for each of them.

    A word of the quote that has white space on both sides must be a word of the
    document too; the longest such word is the rarest as a rule.
    """

    def __init__(self, searches: Iterable[_Search]) -> None:
        self._named: dict[str, list[_Search]] = defaultdict(list)
        self._by_word: dict[str, list[_Search]] = defaultdict(list)
        self._anywhere: list[_Search] = []
        for search in searches:
            inner = search.needle.split()[1:-1]
            if search.quote.document is not None:
                self._named[search.quote.document].append(search)
            elif inner:
                self._by_word[max(inner, key=len)].append(search)
            else:
                self._anywhere.append(search)

    def candidates(self, document: Document) -> list[_Search]:
        """Return the searches that may find something in a document."""
        candidates = self._named.get(document.id, []) + self._anywhere
        if self._by_word:
            for word in self._by_word.keys() & set(document.text.split()):
                candidates += self._by_word[word]
        return candidates


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
