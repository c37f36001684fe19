"""The calls of arms: each arm is built twice with a model that asks nobody and counts what it would be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ragtrial.chunkers.asking import standing_in
from ragtrial.chunkers.step import Step
from ragtrial.llm.load import price_of
from ragtrial.llm.options import ModelOptions
from ragtrial.llm.prices import PICO
from ragtrial.llm.rehearsal import Line, Rehearsal, Tally
from ragtrial.merging.merge import Merge
from ragtrial.trial.arms import Arm
from ragtrial.trial.build import Built, build_arms
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.estimate.rows import CallRow
from ragtrial.trial.progress import Progress

__all__ = ["Rate", "Rehearsed", "build_unasked", "call_row", "rehearse_arms"]

Rate = Callable[[ModelOptions], float | None]
"""How many calls a minute a model answers, None where that is not known."""


@dataclass(frozen=True)
class Rehearsed:
    """What building the arms would ask: with replies of usual length, and with the longest; and what is built then."""

    usual: Rehearsal
    lavish: Rehearsal
    built: Built

    def rows(self, rate: Rate) -> list[CallRow]:
        """Return a row for each arm, step and model."""
        return [call_row(line, tally, self.lavish.lines.get(line, tally), rate) for line, tally in self._lines()]

    def asking_arms(self) -> set[str]:
        """Return the arms for which somebody would be asked."""
        return {line.arm for line, tally in self._lines() if tally.calls or tally.shared}

    def _lines(self) -> list[tuple[Line, Tally]]:
        return list(self.usual.lines.items())


def rehearse_arms(corpus: Corpus, arms: Mapping[str, Arm], progress: Progress) -> Rehearsed:
    """Build the arms twice without asking anybody: with replies of usual length, and with the longest."""
    usual = Rehearsal(lavish=False)
    built = build_unasked(corpus, arms, usual, progress)
    lavish = Rehearsal(lavish=True, counted=usual.counted, cache=usual.cache)
    if usual.lines:
        build_unasked(corpus, arms, lavish, progress)
    return Rehearsed(usual, lavish, built)


def build_unasked(corpus: Corpus, arms: Mapping[str, Arm], counting: Rehearsal, progress: Progress) -> Built:
    """Build the arms as a run would, but ask a rehearsal; chunks that hang on replies are made-up ones.

    A merge of similar chunks, which embeds them, is taken for the random one with as many merges.
    """
    cheap = {name: replace(arm, steps=tuple(map(_cheap, arm.steps))) for name, arm in arms.items()}
    with standing_in(counting.model):
        built = build_arms(corpus, cheap, progress)
    own = {name: replace(arm, steps=arms[name].steps) for name, arm in built.arms.items()}
    redrawn = {name: draws for name, draws in built.redrawn.items() if len(arms[name].drawn) > 1}
    return replace(built, arms=own, redrawn=redrawn)


def call_row(line: Line, usual: Tally, lavish: Tally, rate: Rate) -> CallRow:
    """Return the row of what was counted."""
    price = price_of(line.model)
    speed = rate(line.model)

    def dollars(input_tokens: int, output_tokens: int) -> float | None:
        return None if price is None else price.of(input_tokens, output_tokens) / PICO

    most = max(usual.input_tokens, lavish.input_tokens)
    return CallRow(
        arm=line.arm,
        step=line.step,
        model=line.model.model,
        calls=usual.calls,
        kept=usual.kept,
        shared=usual.shared,
        input_tokens=usual.input_tokens,
        most_input_tokens=most,
        output_tokens=usual.output_tokens,
        most_output_tokens=usual.limit,
        dollars=dollars(usual.input_tokens, usual.output_tokens),
        most_dollars=dollars(most, usual.limit),
        minutes=None if speed is None else usual.calls / speed,
    )


def _cheap(step: Step) -> Step:
    return Merge("random", cap=step.cap) if isinstance(step, Merge) and step.by == "similar" else step
