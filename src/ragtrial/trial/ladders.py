"""Dose-response over a ladder of arms: does the score rise with each step, such as a deeper breadcrumb?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtrial.statistics.slope import dose_response
from ragtrial.trial.scores import Scores

__all__ = ["climb_ladders"]


def climb_ladders(effective: Mapping[str, Any], scores: Scores) -> list[dict[str, Any]]:
    """Return a row for each ladder: the mean score of each arm, and the slope per unit of dose with its interval.

    The interval is a percentile cluster bootstrap of the questions' own slopes (METHODS section 6).
    """
    rows = []
    for name, ladder in effective["ladders"].items():
        values = [scores.of(arm, ladder["retriever"], ladder["measure"]) for arm in ladder["arms"]]
        result = dose_response(
            values,
            ladder["doses"],
            scores.clusters,
            strata=scores.strata,
            resamples=effective["resamples"],
            seed=effective["seed"],
        )
        rows.append(
            {
                "name": name,
                **ladder,
                "means": list(result.means),
                "slope": result.slope,
                "ci95": None if result.ci95 is None else list(result.ci95),
                "p_bootstrap": result.p_bootstrap,
                "questions": result.n,
                "clusters": result.n_clusters,
            }
        )
    return rows
