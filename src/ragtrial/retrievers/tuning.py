"""The weight of a fusion, chosen on documents that are not scored."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from ragtrial.errors import UsageError
from ragtrial.retrievers.fusion.weighted import Weighted
from ragtrial.retrievers.ranking import FloatArray, Ranking
from ragtrial.retrievers.reordered import ranking_of
from ragtrial.retrievers.select import best_first

__all__ = ["GRID", "TunedWeight", "best_weight", "split_documents", "tune_weight"]

GRID: Final = tuple(step / 20 for step in range(21))
"""The weights 0, 0.05 ... 1."""


@dataclass(frozen=True)
class TunedWeight:
    """The chosen weight, and the mean held-out score under each weight that was tried."""

    weight: float
    grid: tuple[float, ...]
    means: tuple[float, ...]


def split_documents(documents: Sequence[str], share: float, seed: int = 0) -> tuple[list[str], list[str]]:
    """Split documents' ids into held-out ones, to tune on, and those that are scored; both sorted.

    The held-out part has ``share`` of the documents, rounded, drawn with ``seed`` from the sorted ids. A split that
    leaves one part empty raises `UsageError`.
    """
    known = sorted(set(documents))
    n_held_out = round(share * len(known))
    if not 0 < n_held_out < len(known):
        raise UsageError(
            f"{share:g} of {len(known)} documents leaves none to tune on, or none to score.",
            hint="Use more documents, or another share.",
        )
    held_out = set(random.Random(seed).sample(known, n_held_out))  # noqa: S311  # nothing secret depends on it
    return sorted(held_out), [document for document in known if document not in held_out]


def tune_weight(
    fusion: Weighted,
    first: Ranking,
    second: Ranking,
    score: Callable[[Ranking], npt.ArrayLike],
    grid: Sequence[float] = GRID,
) -> TunedWeight:
    """Choose the weight with the best mean score on held-out questions (METHODS 4, Hybrid).

    Of equally good weights the one nearest to 0.5 is chosen, of two as near the smaller.

    Parameters
    ----------
    fusion : Weighted
        How scores are normalised; its own weight has no part.
    first, second : Ranking
        What its two parts give for the same held-out questions, each over the whole pool of the question.
    score : callable
        From a ranking of these questions to the score of each, higher for the better.
    grid : sequence of float
        The weights to try, each from 0 to 1.
    """
    if not grid:
        raise UsageError("There are no weights to choose from.")
    aligned = _aligned(first, second)
    means = [_mean(score(_fused(replace(fusion, weight=float(weight)), first, aligned))) for weight in grid]
    return TunedWeight(best_weight(grid, means), tuple(map(float, grid)), tuple(means))


def best_weight(grid: Sequence[float], means: Sequence[float]) -> float:
    """Return the weight with the best mean; of equally good ones that nearest to 0.5, of two as near the smaller."""
    best = min(range(len(grid)), key=lambda place: (-means[place], abs(grid[place] - 0.5), grid[place]))
    return float(grid[best])


def _aligned(first: Ranking, second: Ranking) -> list[tuple[FloatArray, npt.NDArray[np.int64]]]:
    """Return for each question the second part's scores and ranks, from 1, in the order of the first."""
    if not first.n_questions or first.n_questions != second.n_questions:
        raise UsageError(f"A weight cannot be chosen on {first.n_questions} and {second.n_questions} questions.")
    rows = []
    for question in range(first.n_questions):
        chunks, (others, scores) = first.of(question)[0], second.of(question)
        by_number = np.argsort(others)
        if not np.array_equal(np.sort(chunks), others[by_number]):
            raise UsageError(f"The two rankings of question {question} are not of the same chunks.")
        places = by_number[np.searchsorted(others[by_number], chunks)]
        rows.append((scores[places], places + 1))
    return rows


def _fused(fusion: Weighted, first: Ranking, aligned: Sequence[tuple[FloatArray, npt.NDArray[np.int64]]]) -> Ranking:
    rows = []
    for question, (others, ranks) in enumerate(aligned):
        chunks, scores = first.of(question)
        fused = fusion.fuse(scores, others, ranks) if len(chunks) else scores
        best = best_first(fused)
        rows.append((chunks[best], fused[best]))
    return ranking_of(rows)


def _mean(scores: npt.ArrayLike) -> float:
    values = np.asarray(scores, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        raise UsageError("A weight is chosen by one finite score for each held-out question.")
    return float(values.mean())
