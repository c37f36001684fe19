"""Questions of the user's own: from a file of JSON lines to located evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from ragtrial.documents.model import Document
from ragtrial.questions.formats.detect import read_drafts
from ragtrial.questions.locate import Located, locate
from ragtrial.questions.model import Evidence, Excluded, Place, Question
from ragtrial.questions.parse import Draft
from ragtrial.questions.rescue import rescue

__all__ = ["QuestionReading", "locate_drafts", "read_questions"]


@dataclass(frozen=True)
class QuestionReading:
    """What a questions file gave.

    Parameters
    ----------
    questions : tuple of Question
        In file order.
    excluded : tuple of Excluded
        Questions that cannot be asked, in file order, each with file, line and reason.
    folded : tuple of str
        Ids of questions with a quote that was found only with white space folded.
    ambiguous : tuple of str
        Ids of questions with a quote that stands in more than one place; the first was taken.
    fuzzy : tuple of str
        Ids of questions with a quote that stands nowhere; the text that is most like it was taken.
    format : str
        The format of the file.
    unread : tuple of str
        Columns of the file that mean nothing here, sorted.
    """

    questions: tuple[Question, ...]
    excluded: tuple[Excluded, ...]
    folded: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    fuzzy: tuple[str, ...] = ()
    format: str = "ragtrial"
    unread: tuple[str, ...] = ()


def read_questions(path: str | Path, documents: Iterable[Document]) -> QuestionReading:
    """Read questions and locate their evidence.

    The format is found out from the file (see `ragtrial.questions.formats`). In its own,
    each line is one JSON object with

    - ``question`` : text;
    - ``evidence`` : a list of quotes, of ``{"document", "start", "end"}`` (characters,
      half-open), and of ``{"section": "page#anchor"}`` or ``{"section": "page > Section > Subsection"}``,
      mixed at will; a list inside the list holds alternatives, of which one is enough; a single piece
      may stand without the list;
    - optionally ``id`` (default ``q`` and the line number), ``document`` (where its
      evidence is; default: all are searched), ``cluster`` (default: the document of the
      first evidence), ``type`` and ``stratum``; for scores of answers, ``answers``
      (references, the accepted one first) and ``nuggets`` (facts of a good answer), each a
      list or a single text; ``annotators``, for each a list of the numbers of his evidence, from 0; ``withheld``, a
      list of ``{"document", "start", "end"}`` that are out of its pool; and ``origin``.

    A quote is located as written, else with white space folded (see
    `ragtrial.questions.locate`), else as the name of a section or by its likeness (see
    `ragtrial.questions.rescue`). A question is excluded as a whole if it has no
    evidence or if any of its evidence cannot be located, all alternatives included: scored on
    what is left, it would be another question. Alternatives become annotators, so that
    measures such as ``recall@512t:max`` need one of each.

    Parameters
    ----------
    path : path
        The file.
    documents : iterable of Document
        The corpus; read one document at a time, and again if something is not found as written.

    Raises
    ------
    DataError
        The file cannot be read, holds no question, or has faults; all are listed.
    """
    file = read_drafts(path)
    return replace(locate_drafts(file.drafts, documents), format=file.format, unread=file.unread)


def locate_drafts(drafts: Sequence[Draft], documents: Iterable[Document]) -> QuestionReading:
    """Locate the evidence of questions as a file gives them; see `read_questions`."""
    corpus = documents if isinstance(documents, Sized) else tuple(documents)
    wanted = [item for draft in drafts for item in draft.wanted]
    found = locate(wanted, corpus)
    missing = {number: wanted[number] for number, result in enumerate(found) if isinstance(result, str)}
    missing = {number: item for number, item in missing.items() if not isinstance(item, Place)}
    if missing:
        for number, result in rescue(missing, corpus).items():
            found[number] = result
    results = iter(found)
    reading = _Reading()
    for draft in drafts:
        reading.add(draft, [next(results) for _ in draft.wanted])
    return reading.result()


class _Reading:
    """What became of the questions so far."""

    def __init__(self) -> None:
        self._questions: list[Question] = []
        self._excluded: list[Excluded] = []
        self._folded: list[str] = []
        self._ambiguous: list[str] = []
        self._fuzzy: list[str] = []

    def add(self, draft: Draft, results: list[Located | str]) -> None:
        located = {number: item for number, item in enumerate(results) if isinstance(item, Located)}
        slots = draft.slots or tuple((number,) for number in range(len(results)))
        if not results or not all(any(number in located for number in slot) for slot in slots):
            self._excluded.append(Excluded(draft.id, draft.where, _reason(results)))
            return
        self._questions.append(_question(draft, {number: item.evidence for number, item in located.items()}))
        for names, holds in (
            (self._folded, any(not item.exact and item.similarity >= 100 for item in located.values())),
            (self._ambiguous, any(item.ambiguous for item in located.values())),
            (self._fuzzy, any(item.similarity < 100 for item in located.values())),
        ):
            if holds:
                names.append(draft.id)

    def result(self) -> QuestionReading:
        parts = (self._questions, self._excluded, self._folded, self._ambiguous, self._fuzzy)
        return QuestionReading(*(tuple(part) for part in parts))  # type: ignore[arg-type]  # each in its place


def _reason(results: list[Located | str]) -> str:
    missing = [
        f"evidence {number} of {len(results)}: {result}"
        for number, result in enumerate(results, start=1)
        if isinstance(result, str)
    ]
    return "; ".join(missing) or "it has no evidence"


def _question(draft: Draft, located: dict[int, Evidence]) -> Question:
    evidence = tuple(dict.fromkeys(located.values()))
    number_of = {number: evidence.index(item) for number, item in located.items()}
    groups = draft.annotators
    if draft.slots:
        choices = [[number for number in slot if number in located] for slot in draft.slots]
        groups = tuple(product(*choices))
    annotators = [dict.fromkeys(number_of[number] for number in group if number in number_of) for group in groups]
    places = {item.document for item in evidence}
    return Question(
        id=draft.id,
        text=draft.text,
        evidence=evidence,
        document=draft.document or (evidence[0].document if len(places) == 1 else None),
        cluster=draft.cluster or evidence[0].document or draft.id,
        type=draft.type,
        stratum=draft.stratum,
        annotators=tuple(dict.fromkeys(tuple(group) for group in annotators)),
        answers=draft.answers,
        nuggets=draft.nuggets,
        withheld=draft.withheld,
        origin=draft.origin,
    )
