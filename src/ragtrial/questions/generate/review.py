"""A sheet in which a person accepts, edits or rejects each question, and what follows from it.

The sheet is JSON Lines, one question a line. A person fills ``decision`` with "accept", "edit" or "reject", writes the
better question into ``edited``, and says why in ``note`` where that helps. What was there before is not to be changed:
each line carries a hash of it, so that a slip of the keyboard cannot move a question to other evidence.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from ragtrial.errors import DataError
from ragtrial.questions.generate.ask import Drafted
from ragtrial.questions.generate.overlap import Leak, Overlap
from ragtrial.storage.canonical import canonical_json

__all__ = ["DECISIONS", "Decision", "Reviewed", "parse_sheet", "question_row", "review", "sheet_rows", "tally"]

Decision: TypeAlias = Literal["accept", "edit", "reject", ""]

DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
"""What may stand under ``decision``; "" is not decided yet."""

_FIXED: Final = ("id", "type", "document", "question", "evidence")
_OWN: Final = ("decision", "edited", "note")


class Reviewed(NamedTuple):
    """One line of a sheet after a person was there.

    ``question`` is the row of a questions file, with the words that the person chose, None if the question is out;
    ``leak`` is what the filter says of words that were edited: the person decides, and is told.
    """

    id: str
    type: str
    decision: Decision
    before: str
    after: str
    note: str
    question: dict[str, Any] | None
    leak: Leak


def question_row(draft: Drafted) -> dict[str, Any]:
    """Return a question as a line of a questions file."""
    target = draft.target
    places = [{"document": target.document, "start": span.start, "end": span.end} for span in target.spans]
    return {
        "id": target.id,
        "question": draft.question,
        "document": target.document,
        "evidence": places,
        "type": target.type,
    }


def sheet_rows(drafts: Iterable[Drafted]) -> Iterator[dict[str, Any]]:
    """Yield the lines of a fresh sheet: each question with the words of its evidence, nothing decided."""
    for draft in drafts:
        row = question_row(draft)
        texts = map(_writable, draft.target.texts)
        row["evidence"] = [place | {"text": text} for place, text in zip(row["evidence"], texts, strict=True)]
        yield {key: row[key] for key in _FIXED} | dict.fromkeys(_OWN, "") | {"sha256": _digest(row)}


def parse_sheet(text: str, name: str) -> list[dict[str, Any]]:
    """Return the lines of a sheet; all faults at once raise `DataError`, each with its line."""
    rows: list[dict[str, Any]] = []
    faults: list[str] = []
    seen: set[str] = set()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        fault, row = _read(line)
        if row and row["id"] in seen:
            fault = f"the id {row['id']!r} was there before"
        if fault:
            faults.append(f"{name}:{number}: {fault}.")
            continue
        seen.add(row["id"])
        rows.append(row)
    if faults:
        raise DataError(
            "\n".join([f"The review sheet {name} cannot be used:", *faults]),
            hint='Fill "decision" with "accept", "edit" or "reject", "edited" and "note"; leave the rest as it is.',
        )
    return rows


def review(rows: Sequence[Mapping[str, Any]], overlap: Overlap, *, keep_undecided: bool = False) -> list[Reviewed]:
    """Return what becomes of each line; a line without decision is out unless ``keep_undecided``."""
    return [_reviewed(row, overlap, keep_undecided=keep_undecided) for row in rows]


def _reviewed(row: Mapping[str, Any], overlap: Overlap, *, keep_undecided: bool) -> Reviewed:
    decision: Decision = row["decision"]
    edited = " ".join(row["edited"].split()) if decision == "edit" else ""
    after = edited or row["question"]
    leak = overlap.leak(edited, [place["text"] for place in row["evidence"]]) if edited else ""
    stays = decision in ("accept", "edit") or (decision == "" and keep_undecided)
    question = None
    if stays:
        places = [{key: place[key] for key in ("document", "start", "end")} for place in row["evidence"]]
        question = {key: row[key] for key in ("id", "question", "document", "evidence", "type")}
        question |= {"question": after, "evidence": places}
    return Reviewed(row["id"], row["type"], decision, row["question"], after, row["note"], question, leak)


def _read(line: str) -> tuple[str, dict[str, Any]]:
    """Return what is wrong with a line, or "" and the line."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}", {}
    if not isinstance(row, dict):
        return "it is no object", {}
    lacking = [key for key in (*_FIXED, *_OWN, "sha256") if key not in row]
    if lacking or (extra := sorted(row.keys() - {*_FIXED, *_OWN, "sha256"})):
        return f"it lacks {', '.join(lacking)}" if lacking else f"it has the unknown key {extra[0]!r}", {}
    if row["sha256"] != _digest(row):
        return f"{', '.join(_FIXED)} of it were changed; a better question goes into 'edited'", {}
    if any(not isinstance(row[key], str) for key in _OWN):
        return "decision, edited and note are texts", {}
    if row["decision"] not in DECISIONS:
        return f"{row['decision']!r} is no decision", {}
    if (row["decision"] == "edit") != bool(row["edited"].strip()):
        what = "decides to edit, and 'edited' is blank" if row["decision"] == "edit" else "has an edit not decided for"
        return f"it {what}", {}
    return "", row


def _writable(text: str) -> str:
    # A lone surrogate, which no file can hold, becomes U+FFFD: what is read back then has the same hash.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _digest(row: Mapping[str, Any]) -> str:
    what = canonical_json({key: row[key] for key in _FIXED})
    return hashlib.sha256(what.encode("utf-8", "surrogatepass")).hexdigest()


def tally(reviewed: Iterable[Reviewed]) -> Counter[str]:
    """Return how many questions each decision got, undecided ones under "undecided"."""
    return Counter(item.decision or "undecided" for item in reviewed)
