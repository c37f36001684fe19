"""The files of generated questions: the questions, the sheet for a person, the funnel, and the decisions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ragtrial import __version__
from ragtrial.documents.model import Document
from ragtrial.errors import DataError
from ragtrial.llm.model import KeptModel
from ragtrial.questions.generate.ask import Drafted
from ragtrial.questions.generate.overlap import Overlap, rouge_l
from ragtrial.questions.generate.review import parse_sheet, question_row, review, sheet_rows, tally
from ragtrial.questions.generate.run import Generated, Plan
from ragtrial.questions.generate.targets import TYPES
from ragtrial.questions.model import Evidence, Question
from ragtrial.trial.hashing import document_sha256
from ragtrial.trial.record import file_sha256, write_json, write_whole
from ragtrial.trial.served import served_row
from ragtrial.trial.triviality import lexical_triviality

__all__ = ["Files", "apply_review", "write_generated"]


@dataclass(frozen=True)
class Files:
    """Where the three files lie."""

    questions: Path
    review: Path
    funnel: Path

    @classmethod
    def beside(cls, questions: Path) -> Files:
        """Name the other files after the questions file: ``questions.jsonl``, ``questions.review.jsonl`` ..."""
        stem = questions.name.removesuffix(".jsonl")
        return cls(questions, questions.with_name(f"{stem}.review.jsonl"), questions.with_name(f"{stem}.funnel.json"))

    def refuse_decided(self) -> None:
        """Raise `DataError` if a person decided something in the sheet, which would be lost."""
        if self.review.exists() and any(row["decision"] for row in _sheet(self.review)):
            raise DataError(
                f"{self.review} holds decisions, which new questions would overwrite.",
                hint="Choose another --output, or move that file.",
            )


def write_generated(
    files: Files, documents: Sequence[Document], generated: Generated, plan: Plan, model: KeptModel
) -> dict[str, Any]:
    """Write the three files, and return what the last one holds: funnel, triviality, and all that was lost."""
    finals = generated.finals
    drafts = finals.drafts
    report = {
        "version": 1,
        "package": __version__,
        "model": dict(model.identity()),
        "served": served_row(model),
        "prompts": plan.prompts.identity(),
        "sampling": asdict(plan.sampling),
        "overlap": asdict(plan.overlap),
        "most": plan.most,
        "documents": {document.id: document_sha256(document) for document in documents},
        "calls": sum(draft.calls for draft in generated.drafts),
        "funnel": finals.funnel,
        "rejected_by": finals.rejected,
        "rouge": _overlaps(drafts),
        "triviality": [asdict(row) for row in lexical_triviality(documents, list(map(_question, drafts)))],
        "rejected": generated.rejected(),
    }
    files.questions.parent.mkdir(parents=True, exist_ok=True)
    write_whole(files.questions, _lines(question_row(draft) for draft in drafts))
    write_whole(files.review, _lines(sheet_rows(drafts)))
    write_json(files.funnel, report)
    return report


def apply_review(sheet: Path, output: Path | None, *, keep_undecided: bool) -> dict[str, Any]:
    """Count the decisions of a sheet, and write what is left, and every decision, if there is an output.

    Edited questions are held against the default filter; what it says is told, and the person's word counts.
    """
    rows = _sheet(sheet)
    reviewed = review(rows, Overlap(), keep_undecided=keep_undecided)
    kept = [item.question for item in reviewed if item.question is not None]
    report: dict[str, Any] = {
        "sheet": sheet.name,
        "sheet_sha256": file_sha256(sheet),
        "questions": len(reviewed),
        "decisions": dict(sorted(tally(reviewed).items())),
        "kept": len(kept),
        "undecided": "kept" if keep_undecided else "out",
        "leaks": [{"id": item.id, "leak": item.leak} for item in reviewed if item.leak],
    }
    if output is None:
        return report
    output.parent.mkdir(parents=True, exist_ok=True)
    data = _lines(kept)
    write_whole(output, data)
    each = [{key: value for key, value in item._asdict().items() if key != "question"} for item in reviewed]
    record = {**report, "output_sha256": hashlib.sha256(data).hexdigest(), "each": each}
    write_json(output.with_name(f"{output.name.removesuffix('.jsonl')}.decisions.json"), record)
    return report


def _sheet(path: Path) -> list[dict[str, Any]]:
    try:
        return parse_sheet(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"Cannot read the review sheet {path}: {getattr(error, 'strerror', None) or error}.") from error


def _question(draft: Drafted) -> Question:
    target = draft.target
    pairs = zip(target.spans, target.texts, strict=True)
    evidence = tuple(Evidence(text, target.document, (span,)) for span, text in pairs)
    return Question(target.id, draft.question, evidence, target.document, target.document, type=target.type)


def _overlaps(drafts: Sequence[Drafted]) -> dict[str, float | None]:
    """Return the mean ROUGE-L of each type's questions with the nearest span of their evidence."""
    found: dict[str, float | None] = {}
    for kind in TYPES:
        values = [
            max(rouge_l(draft.question, text) for text in draft.target.texts)
            for draft in drafts
            if draft.target.type == kind
        ]
        found[kind] = sum(values) / len(values) if values else None
    return found


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return text.encode("utf-8", "replace")
