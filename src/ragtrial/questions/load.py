"""Questions of the user's own: from a file of JSON lines to located evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ragtrial.documents.model import Document
from ragtrial.questions.locate import Located, locate
from ragtrial.questions.model import Evidence, Excluded, Question
from ragtrial.questions.parse import Draft, parse_questions

__all__ = ["QuestionReading", "read_questions"]


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
    """

    questions: tuple[Question, ...]
    excluded: tuple[Excluded, ...]
    folded: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()


def read_questions(path: str | Path, documents: Iterable[Document]) -> QuestionReading:
    """Read questions and locate their evidence.

    Each line of the file is one JSON object with

    - ``question`` : text;
    - ``evidence`` : a list of quotes or of ``{"document", "start", "end"}`` (characters,
      half-open), mixed at will; a single one may stand without the list;
    - optionally ``id`` (default ``q`` and the line number), ``document`` (where its
      evidence is; default: all are searched), ``cluster`` (default: the document of the
      first evidence), ``type`` and ``stratum``.

    A quote is located as written, else with white space folded (see
    `ragtrial.questions.locate`). A question is excluded as a whole if it has no
    evidence or if any of its evidence cannot be located: scored on what is left, it
    would be another question.

    Parameters
    ----------
    path : path
        The file.
    documents : iterable of Document
        The corpus; read once, one document at a time.

    Raises
    ------
    DataError
        The file cannot be read, holds no question, or has faults; all are listed.
    """
    drafts = parse_questions(path)
    found = iter(locate([wanted for draft in drafts for wanted in draft.wanted], documents))
    questions: list[Question] = []
    excluded: list[Excluded] = []
    folded: list[str] = []
    ambiguous: list[str] = []
    for draft in drafts:
        results = [next(found) for _ in draft.wanted]
        located = [result for result in results if isinstance(result, Located)]
        if not located or len(located) < len(results):
            excluded.append(Excluded(draft.id, draft.where, _reason(results)))
            continue
        questions.append(_question(draft, [item.evidence for item in located]))
        if not all(item.exact for item in located):
            folded.append(draft.id)
        if any(item.ambiguous for item in located):
            ambiguous.append(draft.id)
    return QuestionReading(tuple(questions), tuple(excluded), tuple(folded), tuple(ambiguous))


def _reason(results: list[Located | str]) -> str:
    missing = [
        f"evidence {number} of {len(results)}: {result}"
        for number, result in enumerate(results, start=1)
        if isinstance(result, str)
    ]
    return "; ".join(missing) or "it has no evidence"


def _question(draft: Draft, evidence: list[Evidence]) -> Question:
    places = {item.document for item in evidence}
    return Question(
        id=draft.id,
        text=draft.text,
        evidence=tuple(dict.fromkeys(evidence)),
        document=draft.document or (evidence[0].document if len(places) == 1 else None),
        cluster=draft.cluster or evidence[0].document or draft.id,
        type=draft.type,
        stratum=draft.stratum,
    )
