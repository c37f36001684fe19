"""Faults of a trial in what it says about answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragtrial.errors import RagtrialError
from ragtrial.measures.names import Measure
from ragtrial.trial.answers.families import families_of, kinship
from ragtrial.trial.answers.models import indexing_models, model_options
from ragtrial.trial.answers.settings import AnswerSettings
from ragtrial.trial.check import Fault

__all__ = ["answer_faults"]


def answer_faults(
    settings: AnswerSettings | None, measures: Sequence[Measure], arms: Mapping[str, Any]
) -> Iterator[Fault]:
    """Yield a fault for each thing that measures of answers lack, and for a judge of the others' family.

    ``arms`` are the arms' effective parameters.
    """
    asking = [measure for measure in measures if measure.needs_answers]
    if settings is None:
        if asking:
            yield Fault(("measures",), f"{asking[0]} needs a reader: write a section [answers]")
        return
    if not asking:
        yield Fault(("answers",), "no measure needs [answers]: add one, such as token-f1@512t")
    judged = [measure for measure in asking if measure.kind == "nuggets"]
    if judged and settings.judge is None:
        yield Fault(("answers",), f"{judged[0]} needs a judge")
    names: dict[str, str] = {}
    for key, given in (("reader", settings.reader), ("judge", settings.judge)):
        if given is None:
            continue
        try:
            names[key] = model_options(given).model
        except RagtrialError as error:
            yield Fault(("answers", key), f"answers.{key}: {error}")
    if "judge" not in names:
        return
    others = [(f"the arm {arm!r}", model) for arm, model in indexing_models(arms)]
    if "reader" in names:
        others.insert(0, ("the reader", names["reader"]))
    for purpose, model in kinship(names["judge"], others):
        family = ", ".join(sorted(families_of(names["judge"]) & families_of(model)))
        yield Fault(
            ("answers", "judge"),
            f"the judge {names['judge']!r} is of the family of {purpose} ({model!r}: {family}), whose work it would "
            "favour: take a judge of another family",
        )
