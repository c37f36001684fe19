"""Sections by the names that authors give them: anchors, site routes, labels, heading paths."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from ragtrial.documents.model import Document
from ragtrial.documents.parts import Kind, Span
from ragtrial.documents.title import document_title

__all__ = ["SectionIndex", "Target", "content_of", "slug"]

_EXTENSION = re.compile(
    r"\.(?:mdx?|markdown|x?html?|rst|ipynb|txt|pdf|docx|pptx|wiki|wikitext|mediawiki)(?:\.gz)?$", re.IGNORECASE
)
_FRONT_PAGES = ("index", "_index", "readme", "overview")
# What a site puts before the page in a route and no folder of documents has: versions, languages, templates.
_ROUTE_PREFIX = re.compile(
    r"docs?|documentation|latest|stable|current|main|master|dev|[a-z]{2}|v?\d[\w.]*|.*[{}$:].*", re.IGNORECASE
)
_ANCHOR = re.compile(
    r"""<(?:a|[a-z][a-z0-9-]*)\b[^<>]*?\b(?:name|id)\s*=\s*["']([^"'<>\s]+)["'][^<>]*>""", re.IGNORECASE
)
_ONLY_TAGS = re.compile(r"(?:\s|(?><!--.*?-->)|</?[A-Za-z][^<>]*+>)*+", re.DOTALL)
_NOT_SLUG = re.compile(r"[^\w\- ]")
_LOOSE = re.compile(r"[\W_]+")


class Target(NamedTuple):
    """What a reference names: a document and the number of its section, None for the whole page."""

    document: Document
    section: int | None

    @property
    def title(self) -> str:
        """The section's title, or the page's."""
        return document_title(self.document) if self.section is None else self.document.sections[self.section].title

    @property
    def is_front_page(self) -> bool:
        """Whether it is a whole page that introduces a folder: index, readme, overview."""
        name = _EXTENSION.sub("", self.document.id).casefold().rpartition("/")[2]
        return self.section is None and name in _FRONT_PAGES


def slug(title: str) -> str:
    """Return the anchor that GitHub makes of a heading: lower case, without punctuation, blanks to hyphens."""
    return _NOT_SLUG.sub("", title.strip().lower()).replace(" ", "-")


def content_of(document: Document, section: int | None) -> Span | None:
    """Return the text of a section without its heading and its subsections; of a page, all of it.

    A section that has no text of its own stands for the first of its subsections that has. Blocks
    that hold nothing but tags, such as the anchor of the next heading, do not count. None if there is no text.
    """
    sections = document.sections
    if section is None:
        return _blocks_between(document, 0, len(document.text))
    path = sections[section].path
    for inner in sections[section:]:
        if inner.path[: len(path)] != path:
            break
        if span := _blocks_between(document, inner.start, inner.end):
            return span
    return None


def _blocks_between(document: Document, start: int, end: int) -> Span | None:
    content = [
        block
        for block in document.blocks
        if start <= block.start < end
        and block.kind not in (Kind.HEADING, Kind.FRONT_MATTER)
        and not _ONLY_TAGS.fullmatch(document.text, block.start, block.end)
    ]
    return Span(content[0].start, content[-1].end) if content else None


class SectionIndex:
    """The pages and sections of a corpus, by every name that a link may use."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents: dict[str, Document] = {}
        self._by_tail: dict[str, list[str]] = defaultdict(list)
        self._by_title: dict[str, list[str]] = defaultdict(list)
        self._labels: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._anchors: dict[str, dict[str, int]] = {}
        for document in documents:
            self._documents[document.id] = document
            steps = _steps(document.id)
            for number in range(len(steps)):
                self._by_tail["/".join(steps[number:])].append(document.id)
            self._by_title[_squeezed(document_title(document))].append(document.id)
            for label, offset in _mapping(document.meta.get("anchors")):
                if isinstance(label, str) and isinstance(offset, int):
                    self._labels[label.casefold()].append((document.id, offset))

    def by_link(self, target: str, source: str) -> Target | None:
        """Return what a link names.

        Parameters
        ----------
        target : str
            As written: ``#anchor``, ``page.md#anchor``, ``../page/``, ``/docs/{{version}}/page#anchor``, and
            ``ref:label`` or ``doc:page`` of reStructuredText.
        source : str
            The id of the document that links.
        """
        kind, _, name = target.partition(":")
        if kind == "ref":
            return self.by_label(name)
        page, _, anchor = (name if kind == "doc" else target).partition("#")
        page = unquote(page.partition("?")[0])
        document = self._documents.get(source) if not page else self._page(page, source)
        if document is None:
            return None
        if not anchor:
            return Target(document, None)
        number = self._section(document, unquote(anchor))
        return None if number is None else Target(document, number)

    def by_label(self, label: str) -> Target | None:
        """Return the section that a label of reStructuredText names."""
        places = self._labels.get(label.casefold(), [])
        if len(places) != 1:
            return None
        document = self._documents[places[0][0]]
        return Target(document, _section_at(document, places[0][1]))

    def by_name(self, name: str, document: str | None = None) -> Target | str:
        """Return the section of ``page#anchor`` or ``page > Section > Subsection``, or a sentence why there is none.

        The page may be left out where ``document`` is given.
        """
        if ">" not in name:
            found = self.by_link(name, document or "")
            return found or f"there is no section {name!r}"
        first, *titles = [step.strip() for step in name.split(">")]
        page = self._page(first, document or "") or self._titled(first)
        if page is None and document in self._documents:
            page, titles = self._documents[document], [first, *titles]
        if page is None:
            return f"there is no page {first!r}"
        wanted = [_squeezed(title) for title in titles]
        fitting = [
            number
            for number, section in enumerate(page.sections)
            if [_squeezed(title) for title in section.path][-len(wanted) :] == wanted
        ]
        if len(fitting) != 1:
            return f"there {'is no section' if not fitting else f'are {len(fitting)} sections'} {name!r}"
        return Target(page, fitting[0])

    def _titled(self, title: str) -> Document | None:
        found = self._by_title.get(_squeezed(title), [])
        return self._documents[found[0]] if len(found) == 1 else None

    def _page(self, page: str, source: str) -> Document | None:
        """Return the page of a route: beside the source, else by the tail of its path."""
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", page):
            return None
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(source), page))
        if page in self._documents:
            return self._documents[page]
        if not page.startswith("/"):
            if beside in self._documents:
                return self._documents[beside]
            if (found := self._tail(_steps(beside), whole=True)) is not None:
                return found
        steps = [step for step in _steps(page) if step not in ("..", ".")]
        while steps:
            if (found := self._tail(steps)) is not None:
                return found
            if len(steps) == 1 or not _ROUTE_PREFIX.fullmatch(steps[0]):
                return None
            steps = steps[1:]
        return None

    def _tail(self, steps: list[str], *, whole: bool = False) -> Document | None:
        tail = "/".join(steps)
        found = [name for name in self._by_tail.get(tail, []) if not whole or _steps(name) == steps]
        exact = [name for name in found if _steps(name) == steps]
        found = exact if len(exact) == 1 else found
        return self._documents[found[0]] if len(found) == 1 else None

    def _section(self, document: Document, anchor: str) -> int | None:
        if document.id not in self._anchors:
            self._anchors[document.id] = _anchors_of(document)
        anchors = self._anchors[document.id]
        return anchors.get(anchor, anchors.get(_LOOSE.sub("", anchor.casefold())))


def _steps(name: str) -> list[str]:
    """Return the steps of a page's path without its ending; the front page of a folder is the folder."""
    steps = [step for step in _EXTENSION.sub("", name).casefold().split("/") if step]
    return steps[:-1] if len(steps) > 1 and steps[-1] in _FRONT_PAGES else steps


def _anchors_of(document: Document) -> dict[str, int]:
    """Return the section of every anchor; an exact name wins over what differs in case and signs only."""
    found: dict[str, int] = {}
    seen: dict[str, int] = defaultdict(int)
    headings = document.headings
    numbers = [_section_at(document, heading.start) for heading in headings]
    ids = dict(_mapping(document.meta.get("heading_ids")))
    for heading, number in zip(headings, numbers, strict=True):
        name = slug(heading.title)
        found.setdefault(f"{name}-{seen[name]}" if seen[name] else name, number)
        seen[name] += 1
        if isinstance(given := ids.get(heading.start), str):
            found[given] = number
    for label, offset in _mapping(document.meta.get("anchors")):
        if isinstance(label, str) and isinstance(offset, int):
            found[label] = _section_at(document, offset)
    starts = [heading.start for heading in headings]
    for match in _ANCHOR.finditer(document.text):
        following = bisect_left(starts, match.end())
        # An anchor just before a heading names that heading's section.
        if following < len(starts) and _ONLY_TAGS.fullmatch(document.text, match.end(), starts[following]):
            found[match[1]] = numbers[following]
        else:
            found.setdefault(match[1], _section_at(document, match.start()))
    for name, number in list(found.items()):
        found.setdefault(_LOOSE.sub("", name.casefold()), number)
    return found


def _section_at(document: Document, offset: int) -> int:
    return max(bisect_right(document.sections, offset, key=lambda section: section.start) - 1, 0)


def _squeezed(title: str) -> str:
    return " ".join(title.casefold().split())


def _mapping(value: object) -> Iterable[tuple[object, object]]:
    return value.items() if isinstance(value, Mapping) else ()
