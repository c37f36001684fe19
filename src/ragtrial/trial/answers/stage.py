"""The answer stage: all conditions read, all answers scored, and the judge's own controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError, ModelCallError
from ragtrial.llm.base import LanguageModel
from ragtrial.llm.concurrent import map_documents
from ragtrial.llm.prompt import Prompt
from ragtrial.llm.spending import spending_for
from ragtrial.measures.answers import nugget_recall, token_f1
from ragtrial.measures.names import Measure
from ragtrial.questions.model import Question
from ragtrial.trial.answers.controls import Controls, other_answers
from ragtrial.trial.answers.judge import Judgement, judge
from ragtrial.trial.answers.reader import read_answer
from ragtrial.trial.cells import Cell
from ragtrial.trial.progress import Advance, Progress

__all__ = ["Answered", "Judging", "Reading", "answer_questions", "needed_texts"]

Key: TypeAlias = tuple[Cell, int]
"""A condition and a budget in tokens."""

Pieces: TypeAlias = Mapping[Key, Sequence[Sequence[str]]]
Values = npt.NDArray[np.float64]

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reading:
    """Who reads, by which prompt, and how much it may say."""

    model: LanguageModel
    prompt: Prompt
    max_tokens: int


@dataclass(frozen=True)
class Judging:
    """Who judges, by which prompt; the seed of the derangement, and what people say of the judge."""

    model: LanguageModel
    prompt: Prompt
    seed: int = 0
    human_kappa: float | None = None


@dataclass(frozen=True)
class Answered:
    """What the answer stage made.

    ``answers`` and ``judgements`` hold one entry a question, by condition and budget; ``values`` one value a
    question, by condition and measure; ``controls`` is what the judge's controls gave.
    """

    answers: Mapping[Key, Sequence[str]]
    judgements: Mapping[Key, Sequence[Judgement]]
    values: Mapping[Cell, Mapping[str, Values]]
    controls: Controls | None


def needed_texts(measures: Sequence[Measure], questions: Sequence[Question]) -> None:
    """Raise `DataError` if questions lack the references or nuggets that measures of answers need."""
    for kind, key, what in (("token-f1", "answers", "reference answers"), ("nuggets", "nuggets", "nuggets")):
        lost = [question.id for question in questions if not getattr(question, key)]
        if lost and any(measure.kind == kind for measure in measures):
            raise DataError(
                f"{len(lost):,} of {len(questions):,} questions have no {what}, which {kind} needs: "
                f"{', '.join(lost[:5])}{' ...' if len(lost) > 5 else ''}.",
                hint=f"Give each question {key!r}, or leave the measure out.",
            )


def answer_questions(
    measures: Sequence[Measure],
    questions: Sequence[Question],
    pieces: Pieces,
    reading: Reading,
    judging: Judging | None,
    *,
    progress: Progress,
) -> Answered:
    """Answer every question under every condition, and score the answers.

    Parameters
    ----------
    measures : sequence of Measure
        Those with `Measure.needs_answers`.
    questions : sequence of Question
    pieces : mapping
        As `ragtrial.trial.answers.context.read_pieces` gives them.
    reading : Reading
    judging : Judging, optional
        Needed for nuggets.
    progress : Progress

    Raises
    ------
    ModelCallError, SpendingCapError
        A call failed after all tries, or could pass the cap: replies that came are kept, and the same run goes on.
    """
    budgets = {measure.cutoff for measure in measures}
    answers = _read(reading, questions, {key: texts for key, texts in pieces.items() if key[1] in budgets}, progress)
    budgets = {measure.cutoff for measure in measures if measure.kind == "nuggets"}
    if judging is None or not budgets:
        return Answered(answers, {}, _values(measures, questions, answers, {}), None)
    controls = _control(judging, questions, progress)
    judged = {key: texts for key, texts in answers.items() if key[1] in budgets}
    judgements = _judge(judging, questions, judged, progress)
    lost = sum(not judgement.readable for row in judgements.values() for judgement in row)
    controls = replace(controls, unreadable=controls.unreadable + lost)
    return Answered(answers, judgements, _values(measures, questions, answers, judgements), controls)


def _read(reading: Reading, questions: Sequence[Question], pieces: Pieces, progress: Progress) -> dict[Key, list[str]]:
    def read(pair: tuple[Question, Sequence[str]]) -> str:
        return read_answer(reading.model, reading.prompt, *pair, reading.max_tokens)

    answers: dict[Key, list[str]] = {}
    with progress("Answering", len(pieces) * len(questions)) as step:
        for key, texts in pieces.items():
            with spending_for(key[0][0]):
                answers[key] = _all(read, list(zip(questions, texts, strict=True)), reading.model.concurrency, step)
    return answers


def _judge(
    judging: Judging, questions: Sequence[Question], answers: Mapping[Key, Sequence[str]], progress: Progress
) -> dict[Key, list[Judgement]]:
    judgements: dict[Key, list[Judgement]] = {}
    with progress("Judging", len(answers) * len(questions)) as step:
        for key, texts in answers.items():
            with spending_for(key[0][0]):
                judgements[key] = _judged(judging, list(zip(questions, texts, strict=True)), step)
    return judgements


def _control(judging: Judging, questions: Sequence[Question], progress: Progress) -> Controls:
    """Let the judge label the accepted answers, and to each question the accepted answer of another one."""
    asked = [question for question in questions if question.answers and question.nuggets]
    others = other_answers([question.cluster for question in asked], judging.seed)
    own = [(question, question.answers[0]) for question in asked]
    swapped = [(question, asked[other].answers[0]) for question, other in zip(asked, others, strict=False)]
    with progress("Judging the controls", len(own) + len(swapped)) as step:
        judgements = _judged(judging, [*own, *swapped], step)
    recalls = [nugget_recall(judgement.labels) for judgement in judgements]
    return Controls(
        accepted=_mean(recalls[: len(own)]),
        other=_mean(recalls[len(own) :]),
        questions=len(asked),
        unreadable=sum(not judgement.readable for judgement in judgements),
        human_kappa=judging.human_kappa,
    )


def _judged(judging: Judging, pairs: list[tuple[Question, str]], step: Advance) -> list[Judgement]:
    return _all(lambda pair: judge(judging.model, judging.prompt, *pair), pairs, judging.model.concurrency, step)


def _values(
    measures: Sequence[Measure],
    questions: Sequence[Question],
    answers: Mapping[Key, Sequence[str]],
    judgements: Mapping[Key, Sequence[Judgement]],
) -> dict[Cell, dict[str, Values]]:
    values: dict[Cell, dict[str, Values]] = {}
    for cell, budget in answers:
        for measure in measures:
            if measure.cutoff != budget:
                continue
            if measure.kind == "token-f1":
                pairs = zip(questions, answers[cell, budget], strict=True)
                scores = [token_f1(answer, question.answers) for question, answer in pairs]
            else:
                partial = measure.variant == "partial"
                scores = [nugget_recall(row.labels, partial=partial) for row in judgements[cell, budget]]
            values.setdefault(cell, {})[measure.name] = np.array(scores, dtype=np.float64)
    return values


def _all(function: Callable[[Item], Result], items: list[Item], threads: int, step: Advance) -> list[Result]:
    """Return the function of every item; if a call failed, its error is raised once all others are done."""
    results = map_documents(function, items, threads, done=step)
    for result in results:
        if isinstance(result, ModelCallError):
            raise result
    return [result for result in results if not isinstance(result, ModelCallError)]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
