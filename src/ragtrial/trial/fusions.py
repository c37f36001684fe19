"""Does a fusion beat each of its parts? The check that an untuned fusion needs (METHODS section 4, Hybrid)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragtrial.retrievers.base import Retriever
from ragtrial.statistics.compare import Paired, compare_many
from ragtrial.trial.scores import Scores

__all__ = ["compare_fusions", "fused_parts"]


def fused_parts(retrievers: Mapping[str, Retriever]) -> dict[str, list[str]]:
    """Return, for each fusion of a trial by name, the names of those of its parts that the trial scores alone."""
    return {
        name: [other for other, alone in retrievers.items() if alone in parts]
        for name, retriever in retrievers.items()
        if (parts := retriever.parts)
    }


def compare_fusions(
    effective: Mapping[str, Any], fused: Mapping[str, list[str]], scores: Scores
) -> list[dict[str, Any]]:
    """Return a row for each arm, fusion and part: fusion minus part in the primary measure, with its interval.

    ``fused`` is what `fused_parts` gives, as a record holds it.
    """
    cells = list(_cells(fused, scores))
    measure = effective["primary"]
    pairs = [
        Paired(scores.of(arm, fusion, measure), scores.of(arm, part, measure), scores.clusters, scores.strata)
        for arm, fusion, part in cells
    ]
    keys = ("interval", "resamples", "seed")
    results = compare_many(pairs, **{key: effective[key] for key in keys}) if pairs else ()
    return [
        {
            "arm": arm,
            "fusion": fusion,
            "part": part,
            "measure": measure,
            "difference": result.difference,
            "ci95": None if result.ci95 is None else list(result.ci95),
        }
        for (arm, fusion, part), result in zip(cells, results, strict=True)
    ]


def _cells(fused: Mapping[str, list[str]], scores: Scores) -> Iterator[tuple[str, str, str]]:
    for fusion, parts in fused.items():
        for arm in dict.fromkeys(arm for arm, _ in scores.values):
            for part in parts:
                if {(arm, fusion), (arm, part)} <= scores.values.keys():
                    yield arm, fusion, part
