"""What a trial means on its corpus: every default filled in, and the identity of every input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ragtrial import __version__
from ragtrial.trial.answers.models import answer_parameters
from ragtrial.trial.config import Contrast, Ladder, Trial
from ragtrial.trial.corpus import Corpus
from ragtrial.trial.hashing import sha256

__all__ = ["Setup"]


@dataclass(frozen=True)
class Setup:
    """A trial on its corpus.

    ``tiers`` gives each contrast its tier; it is what a plan says, or all "exploratory" without one.
    """

    trial: Trial
    corpus: Corpus
    tiers: Mapping[str, str]

    @property
    def pool(self) -> str:
        """Which chunks compete for a question: as the trial says, else as the data set's protocol does."""
        return self.trial.pool or self.corpus.pool

    @property
    def words(self) -> str:
        """How measures split words: as the trial says, else as the data set's protocol does."""
        return self.trial.words or self.corpus.words

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """The package's version and the sha256 of each document and question."""
        return {"package": __version__} | self.corpus.identity()

    @cached_property
    def effective(self) -> dict[str, Any]:
        """All parameters, JSON-ready: what the record and the plan hold, and what the analysis is made from."""
        trial = self.trial
        return {
            "pool": self.pool,
            "words": self.words,
            "primary": trial.primary,
            "retriever": trial.primary_retriever,
            "measures": [measure.name for measure in trial.all_measures],
            "arms": {name: arm.parameters() for name, arm in trial.arms.items()},
            "retrievers": {name: retriever.parameters() for name, retriever in trial.retrievers.items()},
            "only": {name: list(arms) for name, arms in trial.only.items()},
            "contrasts": {contrast.name: self._contrast(contrast) for contrast in trial.contrasts},
            "ladders": {ladder.name: self._ladder(ladder) for ladder in trial.ladders},
            **({"averages": {name: list(arms) for name, arms in trial.averages.items()}} if trial.averages else {}),
            **({"mixed_model": True} if trial.mixed_model else {}),
            "held_out": None if trial.held_out is None else trial.held_out.model_dump(),
            "families": {name: family.model_dump() for name, family in trial.families.items()},
            "interval": trial.interval,
            "resamples": trial.resamples,
            "seed": trial.seed,
            "keep": trial.keep,
        } | (
            {}
            if trial.answers is None
            else {"answers": answer_parameters(trial.answers, trial.resolve, self.corpus.questions)}
        )

    def condition_key(self, arm: str, retriever: str) -> str:
        """Return the name of a condition's results: a sha256 of everything they depend on."""
        parts = {key: self.effective[key] for key in ("pool", "words", "measures", "keep", "held_out", "primary")}
        arms, retrievers = self.effective["arms"], self.effective["retrievers"]
        return sha256(parts | self.inputs | {"arm": [arm, arms[arm]], "retriever": [retriever, retrievers[retriever]]})

    def _ladder(self, ladder: Ladder) -> dict[str, Any]:
        return {
            "arms": list(ladder.arms),
            "doses": list(ladder.doses or map(float, range(len(ladder.arms)))),
            "retriever": ladder.retriever or self.trial.primary_retriever,
            "measure": ladder.measure or self.trial.primary,
        }

    def _contrast(self, contrast: Contrast) -> dict[str, Any]:
        a, b = contrast.arms
        retriever = contrast.retriever or self.trial.primary_retriever
        return {
            "a": a,
            "b": b,
            "retriever": retriever,
            **({"against": contrast.against} if contrast.against not in (None, retriever) else {}),
            "measure": contrast.measure or self.trial.primary,
            "test": contrast.test,
            "margin": contrast.margin,
            "family": contrast.family,
            "tier": self.tiers[contrast.name],
        }
