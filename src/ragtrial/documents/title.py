"""What a document is called, and section paths without that title."""

from __future__ import annotations

from collections.abc import Iterator

from ragtrial.documents.model import Document

__all__ = ["below_title", "document_title", "title_heading", "top_sections"]


def title_heading(document: Document) -> str | None:
    """Return the heading that is the document's title: the first one, if no other is of level 1; else None."""
    headings = document.headings
    if not headings or headings[0].level != 1 or not headings[0].title:
        return None
    return None if any(heading.level == 1 for heading in headings[1:]) else headings[0].title


def document_title(document: Document) -> str:
    """Return ``meta["title"]`` if there is one, else the title heading, else the document's id."""
    given = document.meta.get("title")
    if isinstance(given, (str, int, float)) and str(given).strip():
        return " ".join(str(given).split())
    return title_heading(document) or document.id


def below_title(path: tuple[str, ...], heading: str | None) -> tuple[str, ...]:
    """Return a section path without the title heading, which encloses the whole document and so tells nothing."""
    return path[1:] if path and path[0] == heading else path


def top_sections(document: Document) -> Iterator[int]:
    """Yield for each section of a document the number, from 1, of the top-level section that holds it.

    The heading that is the document's title is no top-level section; those below it are, as is the text before them.
    """
    title = title_heading(document)
    number = 0
    last: tuple[str, ...] | None = None
    for section in document.sections:
        path = below_title(section.path, title)
        if len(path) <= 1 or path[:1] != last:
            number += 1
        last = path[:1]
        yield number
