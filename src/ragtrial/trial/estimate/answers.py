"""The calls of the answer stage: what is retrieved is not known yet, but how much of it the reader gets is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from ragtrial.chunkers.chunkset import ChunkSet
from ragtrial.llm.base import Request
from ragtrial.llm.rehearsal import Line, Tally
from ragtrial.questions.model import Question
from ragtrial.text import tokens
from ragtrial.trial.answers.controls import other_answers
from ragtrial.trial.answers.judge import JUDGING, judge_request
from ragtrial.trial.answers.models import AnswerPrompts, model_options
from ragtrial.trial.answers.reader import READING, reader_request
from ragtrial.trial.config import Trial

__all__ = ["answer_lines"]

_MARKER: int = 5
"""At most so many tokens of ``[12]`` and the line ends around a piece."""

_USUAL_ANSWER: int = 20
"""Tokens of a reader's answer of usual length: it is asked for one short line."""

Counted = tuple[Line, Tally, Tally]


def answer_lines(trial: Trial, chunks: Mapping[str, ChunkSet], questions: Sequence[Question]) -> Iterator[Counted]:
    """Yield what the reader and the judge would be asked, with usual and with the longest answers.

    Every condition is counted in full, although conditions that retrieve the same share their calls.
    """
    measures = [measure for measure in trial.all_measures if measure.needs_answers]
    if trial.answers is None or not measures:
        return
    prompts = AnswerPrompts.load(trial.answers, trial.resolve)
    reader, most = model_options(trial.answers.reader), trial.answers.max_tokens
    bare = [_size(reader_request(prompts.reader, question.text, [], most)) for question in questions]
    budgets = sorted({measure.cutoff for measure in measures})
    judged = sorted({measure.cutoff for measure in measures if measure.kind == "nuggets"})
    for arm in dict.fromkeys(arm for arm, _ in trial.cells):
        n_retrievers = sum(cell == arm for cell, _ in trial.cells)
        yield _reading(
            Line(arm, READING, reader), bare, [b for b in budgets for _ in range(n_retrievers)], chunks, most
        )
        if judged and trial.answers.judge is not None and prompts.judge is not None:
            line = Line(arm, JUDGING, model_options(trial.answers.judge))
            requests = [judge_request(prompts.judge, q.text, "", q.nuggets) for q in questions]
            yield _judging(line, requests, len(judged) * n_retrievers, most)
    if judged and trial.answers.judge is not None and prompts.judge is not None:
        yield _controls(Line("", JUDGING, model_options(trial.answers.judge)), prompts, questions, trial.answers.seed)


def _reading(
    line: Line, bare: Sequence[int], budgets: Sequence[int], chunks: Mapping[str, ChunkSet], most: int
) -> Counted:
    sizes = sorted(tokens.count(text) for text in chunks[line.arm].texts)
    usual, lavish = Tally(), Tally()
    for budget in budgets:
        mean = max(sum(sizes) / max(len(sizes), 1), 1.0)
        for tally, pieces, answer in (
            (usual, round(budget / mean) + 1, min(_USUAL_ANSWER, most)),
            (lavish, _most_pieces(sizes, budget), most),
        ):
            tally.calls += len(bare)
            tally.input_tokens += sum(bare) + len(bare) * (budget + _MARKER * pieces)
            tally.output_tokens += answer * len(bare)
            tally.limit += most * len(bare)
    return line, usual, lavish


def _judging(line: Line, requests: Sequence[Request], times: int, most: int) -> Counted:
    tallies = []
    for answer in (min(_USUAL_ANSWER, most), most):
        tally = Tally()
        for request in requests:
            tally.calls += times
            tally.input_tokens += times * (_size(request) + answer)
            tally.output_tokens += times * request.max_tokens // 2
            tally.limit += times * request.max_tokens
        tallies.append(tally)
    return line, tallies[0], tallies[1]


def _controls(line: Line, prompts: AnswerPrompts, questions: Sequence[Question], seed: int) -> Counted:
    assert prompts.judge is not None
    asked = [question for question in questions if question.answers and question.nuggets]
    others = other_answers([question.cluster for question in asked], seed)
    answers = [question.answers[0] for question in asked]
    pairs = [*zip(asked, answers, strict=True), *zip(asked, [answers[number] for number in others], strict=False)]
    tally = Tally()
    for question, answer in pairs:
        request = judge_request(prompts.judge, question.text, answer, question.nuggets)
        tally.calls += 1
        tally.input_tokens += _size(request)
        tally.output_tokens += request.max_tokens // 2
        tally.limit += request.max_tokens
    return line, tally, tally


def _most_pieces(sizes: Sequence[int], budget: int) -> int:
    """Return how many pieces fill a budget at most: those of the smallest chunks."""
    return next((number for number, total in enumerate(accumulate(sizes), start=1) if total >= budget), len(sizes))


def _size(request: Request) -> int:
    return tokens.count(request.system) + tokens.count(request.user)
