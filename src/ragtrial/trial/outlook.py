"""What a trial could detect, said before it runs: power at the stated margins, from a pilot or a typical spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragtrial.errors import StatisticsError
from ragtrial.questions.model import Question
from ragtrial.statistics.power import Pilot, minimum_detectable_effect, power, sample_size, standard_error_of
from ragtrial.trial.analyse import POINT
from ragtrial.trial.record import Record
from ragtrial.trial.scores import Scores
from ragtrial.trial.setup import Setup
from ragtrial.trial.sides import sides
from ragtrial.trial.tables import read_scores

__all__ = ["TYPICAL_SD", "Outlook", "detectable", "outlooks"]

TYPICAL_SD = 0.38
"""The sd of a paired difference in recall@512t between two chunkers: 0.38 and 0.34 on 300 QASPER papers under BM25."""

TYPICAL_SOURCE = "typical of recall between two chunkers"


@dataclass(frozen=True)
class Outlook:
    """What one contrast can show with the trial's questions.

    ``power`` is that of its margin test if the true difference is 0, None for a test of
    difference; ``mde`` is the smallest difference found with 80% power, in the unit of the scores;
    ``needed`` is how many questions give 80% power at the margin.
    """

    name: str
    sd: float
    source: str
    mde: float
    power: float | None
    needed: int | None

    def sentence(self) -> str:
        """Return the outlook in words."""
        words = (
            f"{self.name}: with a paired sd of {self.sd:.2f} ({self.source}), differences from "
            f"{self.mde / POINT:.1f} points on are found with 80% power"
        )
        if self.power is None:
            return f"{words}."
        return (
            f"{words}; if there is no difference, the margin is met with power {self.power:.0%}, "
            f"and 80% needs {self.needed:,} questions."
        )


def outlooks(setup: Setup, pilot: Record | None = None) -> list[Outlook]:
    """Return the outlook of each contrast.

    ``pilot`` is a record with the same arm, retriever and measure names; a contrast whose
    spread it does not tell falls back to the typical one, and says so.
    """
    held = None if pilot is None else read_scores(pilot)
    questions = len(setup.corpus.questions)
    found = []
    for name, contrast in setup.effective["contrasts"].items():
        measured = None if held is None else _measured(contrast, held)
        spread = measured or Pilot(TYPICAL_SD)
        source = TYPICAL_SOURCE if measured is None else "measured in the pilot"
        found.append(_outlook(name, contrast, spread, source, questions))
    return found


def _measured(contrast: Mapping[str, Any], held: Scores) -> Pilot | None:
    try:
        a, b = (held.of(*cell, contrast["measure"]) for cell in sides(contrast))
        return Pilot.of(a - b, held.clusters)
    except (KeyError, ValueError, StatisticsError):
        # The pilot lacks the contrast, or is too small or too uniform to tell its spread.
        return None


def _outlook(name: str, contrast: Mapping[str, Any], spread: Pilot, source: str, questions: int) -> Outlook:
    se = standard_error_of(spread, questions)
    mde = minimum_detectable_effect(se)
    if contrast["margin"] is None:
        return Outlook(name, spread.sd, source, mde, None, None)
    margin = contrast["margin"] * POINT
    needed = sample_size(contrast["test"], margin, spread).questions
    return Outlook(name, spread.sd, source, mde, power(contrast["test"], margin, se), needed)


def detectable(questions: Sequence[Question]) -> str:
    """Return in a sentence which differences a set of questions can find, from the typical spread."""
    if not questions:
        return "Without questions nothing can be detected."
    spread = Pilot(TYPICAL_SD)
    mde = minimum_detectable_effect(standard_error_of(spread, len(questions)))
    needed = [sample_size("difference", points * POINT, spread).questions for points in (5, 10)]
    return (
        f"With a paired sd of {TYPICAL_SD:.2f} ({TYPICAL_SOURCE}) they find differences from {mde / POINT:.1f} points "
        f"on with 80% power, if questions about one document agree no more than others; 10 points need {needed[1]:,} "
        f"questions, 5 points {needed[0]:,}."
    )
