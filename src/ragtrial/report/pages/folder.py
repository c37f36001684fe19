"""The folder of pages beside the answer: all questions, and each document with its questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtrial.errors import DataError
from ragtrial.measures.names import parse_measure
from ragtrial.report.pages.render import render
from ragtrial.report.pages.text import Mark, boundaries, chunks_by_document, marked_text
from ragtrial.report.views import QuestionView, Views
from ragtrial.trial.exploratory.found import cutoff_of
from ragtrial.trial.record import Record, write_whole

__all__ = ["FOLDER", "ROWS", "document_pages", "question_pages", "write_pages"]

FOLDER = "report"
"""Where the pages lie, beside ``report.html``."""

TOP = 5
"""How many retrieved chunks of each condition are named."""

ROWS = 2_000
"""How many questions one page lists; more of them are on further pages, by disagreement."""

NOWHERE = "0000.html"
"""The page of questions that are about no document."""


def write_pages(record: Record, folder: Path) -> str:
    """Write all pages below a folder and return the first one's place, relative to that folder."""
    home = folder / FOLDER
    try:
        (home / "documents").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"Cannot make the folder {home}: {error.strerror or error}.") from error
    views = list(Views(record, TOP))
    for name, page in (*question_pages(record, views), *document_pages(record, views)):
        write_whole(home / name, page.encode("utf-8"))
    return f"{FOLDER}/questions.html"


@dataclass(frozen=True, slots=True)
class _Place:
    """A document's page and title."""

    page: str
    title: str


def _places(record: Record) -> dict[str | None, _Place]:
    rows = record.documents.select("document", "title").iter_rows()
    places: dict[str | None, _Place] = {
        document: _Place(f"{number:04}.html", title or document) for number, (document, title) in enumerate(rows, 1)
    }
    return {None: _Place(NOWHERE, "about no document")} | places


def question_pages(record: Record, views: Sequence[QuestionView]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each page that lists questions, those first on which conditions disagree most."""
    places = _places(record)
    ordered = sorted(views, key=lambda view: (-view.spread, view.number))
    parts = [ordered[start : start + ROWS] for start in range(0, len(ordered), ROWS)]
    names = ["questions.html", *(f"questions-{number}.html" for number in range(2, len(parts) + 1))]
    for name, part in zip(names, parts, strict=True):
        yield (
            name,
            render(
                "questions.html",
                title=_title(record),
                script="questions.js",
                questions=part,
                places=places,
                types=sorted({view.type for view in part if view.type}),
                documents=sorted({places[view.home].title for view in part}),
                total=len(ordered),
                conditions=len(ordered[0].outcomes),
                names=names,
                name=name,
                measure=record.header["effective"]["primary"],
            ),
        )


def document_pages(record: Record, views: Sequence[QuestionView]) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each document's page: its questions, and its text with evidence and boundaries."""
    places = _places(record)
    by_home: dict[str | None, list[QuestionView]] = {}
    for view in views:
        by_home.setdefault(view.home if view.home in places else None, []).append(view)
    chunks = chunks_by_document(record.chunks.select("arm", "document", "starts", "ends").iter_rows())
    cut = {document: boundaries(own) for document, own in chunks.items()}
    marks = _marks(views, places)

    def anchor(document: str, arm: str, chunk: int) -> str:
        groups = cut.get(document, [])
        number = next((n for n, group in enumerate(groups) if arm in group.arms and group.drawn), None)
        return "" if number is None else f"#g{number}-{chunk}"

    texts: dict[str | None, str | None] = dict(record.documents.select("document", "text").iter_rows())
    for document, text in (({None: None} if None in by_home else {}) | texts).items():
        groups = cut.get(str(document), [])
        page = render(
            "document.html",
            title=_title(record),
            heading=places[document].title,
            document=document,
            questions=by_home.get(document, []),
            places=places,
            within=_within(record),
            anchor=anchor,
            groups=groups,
            text=marked_text(text or "", marks.get(str(document), []), groups),
            characters=len(text or ""),
        )
        yield f"documents/{places[document].page}", page


def _marks(views: Sequence[QuestionView], places: dict[str | None, _Place]) -> dict[str, list[Mark]]:
    """Return the evidence in each document, also that of questions that stand on another document's page."""
    marks: dict[str, list[Mark]] = {}
    for view in views:
        page = places[view.home if view.home in places else None].page
        for number, piece in enumerate(view.pieces):
            for place, (start, end) in enumerate(piece.spans):
                anchor = f"e{view.number}-{number}" + (f"-{place}" if place else "")
                own = marks.setdefault(str(piece.document), [])
                own.append(Mark(start, end, anchor, f"E{number + 1}", f"{page}#q{view.number}"))
    return marks


def _within(record: Record) -> str:
    measure = parse_measure(record.header["effective"]["primary"])
    return f"the first {cutoff_of(measure):,} {measure.unit}"


def _title(record: Record) -> str:
    return str(record.header["title"] or "Trial")
