"""Where QASPER's evidence stands on the flat text: exact, else fuzzy, else by section (METHODS section 7)."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ragtrial.datasets.qasper.flat import FlatPaper, section_path
from ragtrial.documents.parts import Section, Span
from ragtrial.errors import MissingExtraError

__all__ = ["Finder", "Found", "How"]

How = Literal["exact", "fuzzy", "section", "next section"]


class Found(NamedTuple):
    """A piece of evidence's range of the flat text, and how it was found."""

    span: Span
    how: How


class Finder:
    """Finds evidence in one paper.

    Parameters
    ----------
    paper : FlatPaper
    threshold : float
        The least similarity of a fuzzy match, 0 to 100: 100 x (1 - insertions and deletions / length of both texts).

    A piece of evidence is, in this order,

    - exact: a whole paragraph, white space folded; the first that is the same,
    - fuzzy: the whole paragraph most like it, if that is like enough (the first of equals),
    - section: if it is a section's name, that section's paragraphs without its subsections',
    - next section: if that has no paragraph in the file, those of the section that follows the heading.

    Only whole paragraphs are compared, since a section's name may stand in any text as a phrase.
    """

    def __init__(self, paper: FlatPaper, threshold: float) -> None:
        self._paper = paper
        self._threshold = threshold
        text = paper.document.text
        self._paragraphs: dict[str, Span] = {}
        for span in paper.document.paragraphs:
            self._paragraphs.setdefault(_fold(text[span.start : span.end]), span)

    def find(self, evidence: str) -> Found | None:
        """Return where a piece of evidence stands, or None."""
        wanted = _fold(evidence)
        if wanted in self._paragraphs:
            return Found(self._paragraphs[wanted], "exact")
        return self._fuzzy(wanted) or self._section(evidence)

    def _fuzzy(self, wanted: str) -> Found | None:
        try:
            from rapidfuzz import fuzz, process
        except ImportError as error:
            raise MissingExtraError(
                "Locating QASPER's evidence under the protocol 'kmr' needs the library rapidfuzz.", extra="fuzzy"
            ) from error
        best = process.extractOne(wanted, self._paragraphs.keys(), scorer=fuzz.ratio, score_cutoff=self._threshold)
        return None if best is None else Found(self._paragraphs[best[0]], "fuzzy")

    def _section(self, evidence: str) -> Found | None:
        path = section_path(evidence)
        sections = self._paper.document.sections
        number = self._paper.headings.get(path, len(sections))
        if number == len(sections):
            return None
        how: How = "next section" if path in self._paper.empty else "section"
        return Found(self._content(sections[number]), how)

    def _content(self, section: Section) -> Span:
        paragraphs = self._paper.document.paragraphs
        return Span(paragraphs[section.first].start, paragraphs[section.last - 1].end)


def _fold(text: str) -> str:
    return " ".join(text.split())
