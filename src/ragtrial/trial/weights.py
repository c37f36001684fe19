"""Weights of score fusion that are tuned, arm by arm, on questions that no measure of the trial sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy.typing as npt

from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.fusion import Weighted
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.tree import retriever_tree
from ragtrial.retrievers.tuning import TunedWeight, tune_weight
from ragtrial.trial.cells import Cell
from ragtrial.trial.check import Fault

__all__ = ["Fitted", "fit_weights", "is_tuned", "tuning_faults", "weight_rows"]


@dataclass(frozen=True)
class Fitted:
    """A retriever all of whose weights are numbers, and how each that was tuned was found, innermost first."""

    retriever: Retriever
    weights: tuple[TunedWeight, ...] = ()


def is_tuned(retriever: Retriever) -> bool:
    """Tell whether a retriever, or one that it is made of, has a weight to tune."""
    return any(isinstance(part, Weighted) and part.weight == "tuned" for part in retriever_tree(retriever))


def fit_weights(
    retriever: Retriever, rank: Callable[[Retriever], Ranking], score: Callable[[Ranking], npt.ArrayLike]
) -> Fitted:
    """Tune every weight of a retriever, from the inside out.

    Parameters
    ----------
    retriever : Retriever
    rank : callable
        From a retriever to its rankings of the held-out questions, each over the whole pool.
    score : callable
        From such rankings to the primary measure of each held-out question.
    """
    if not is_tuned(retriever):
        return Fitted(retriever)
    changed: dict[str, Retriever] = {}
    weights: list[TunedWeight] = []
    for field in fields(retriever):
        value = getattr(retriever, field.name)
        if isinstance(value, Retriever):
            inner = fit_weights(value, rank, score)
            changed[field.name] = inner.retriever
            weights += inner.weights
    retriever = replace(retriever, **changed)
    if isinstance(retriever, Weighted) and retriever.weight == "tuned":
        found = tune_weight(retriever, rank(retriever.first), rank(retriever.second), score)
        weights.append(found)
        retriever = replace(retriever, weight=found.weight)
    return Fitted(retriever, tuple(weights))


def tuning_faults(retrievers: Mapping[str, Retriever], held_out: bool) -> Iterator[Fault]:
    """Yield a fault for a weight that has no questions to be tuned on, and for questions held out for no weight."""
    tuned = [name for name, retriever in retrievers.items() if is_tuned(retriever)]
    if tuned and not held_out:
        yield Fault(
            ("retrievers", tuned[0]),
            f"retrievers.{tuned[0]}: a tuned weight needs questions that are not scored: write [held_out] with "
            "share = 0.2",
        )
    if held_out and not tuned:
        yield Fault(("held_out",), "no retriever has a weight to tune, so nothing need be held out")


def weight_rows(found: Mapping[Cell, Sequence[TunedWeight]]) -> list[dict[str, Any]]:
    """Return for each condition with tuned weights the weight, and the mean held-out score under every one tried."""
    return [
        {
            "arm": arm,
            "retriever": retriever,
            "weight": tuned.weight,
            "tried": list(tuned.grid),
            "means": list(tuned.means),
        }
        for (arm, retriever), weights in found.items()
        for tuned in weights
    ]
