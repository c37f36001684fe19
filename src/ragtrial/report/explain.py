"""One question of a record as tables: its evidence, and what each condition retrieved and found."""

from __future__ import annotations

from ragtrial.report.tables import Table
from ragtrial.report.views import Outcome, QuestionView
from ragtrial.report.words import shortened

__all__ = ["explain_tables"]

SHOWN = 3
"""How many retrieved chunks stand in the table of conditions."""


def explain_tables(view: QuestionView) -> list[Table]:
    """Return the question's evidence, its conditions, and the words of the chunks that they put first."""
    evidence = tuple(
        (f"E{number}", piece.document or "not located", _places(piece.spans), shortened(piece.text, 160))
        for number, piece in enumerate(view.pieces, 1)
    )
    outcomes = tuple(_outcome(outcome) for outcome in view.outcomes)
    first = {
        (ranked.document, outcome.arm, ranked.chunk): (f"{outcome.arm} {ranked.chunk}", ranked.document, ranked.snippet)
        for outcome in view.outcomes
        for ranked in outcome.top[:1]
    }
    return [
        Table(shortened(view.text, 300), ("evidence", "document", "characters", "text"), evidence),
        Table(
            "What each condition retrieved",
            ("arm", "retriever", "score", "found", "first chunks"),
            outcomes,
            "In brackets: the evidence that a chunk touches.",
        ),
        Table("What stands in the first chunk of each arm", ("chunk", "document", "text"), tuple(first.values())),
    ]


def _outcome(outcome: Outcome) -> tuple[str, ...]:
    words = {True: "found", False: "missed", None: "cannot be told"}
    found = ", ".join(f"E{number} {words[one]}" for number, one in enumerate(outcome.found, 1))
    chunks = ", ".join(
        f"{ranked.chunk}{f' ({_held(ranked.holds)})' if ranked.holds else ''}" for ranked in outcome.top[:SHOWN]
    )
    return outcome.arm, outcome.retriever, f"{outcome.value * 100:.1f}", found, chunks


def _held(holds: tuple[int, ...]) -> str:
    return ", ".join(f"E{number + 1}" for number in holds)


def _places(spans: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(f"{start:,}-{end:,}" for start, end in spans)
