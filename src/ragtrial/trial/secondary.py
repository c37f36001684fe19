"""What stands beside the contrasts: how single runs of an average differ, and the mixed model.

Sources: Mangla 2026, Limitations (the planned repeated generations); Kuehlkamp et al. 2026, section 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from ragtrial.errors import StatisticsError
from ragtrial.statistics.clusters import group
from ragtrial.statistics.mixed import mixed_model
from ragtrial.statistics.ratio import standard_error
from ragtrial.trial.scores import Scores
from ragtrial.trial.sides import sides

__all__ = ["mixed_models", "runs_of_averages"]


def runs_of_averages(effective: Mapping[str, Any], scores: Scores) -> list[dict[str, Any]]:
    """Return a row for each contrast that has an average: its difference in every single run.

    ``sd`` is the standard deviation of the difference over runs, which the interval of the contrast knows nothing of;
    ``se`` is the standard error from the sampling of questions.
    """
    return list(_runs(effective, scores))


def _runs(effective: Mapping[str, Any], scores: Scores) -> Iterator[dict[str, Any]]:
    averages = effective.get("averages", {})
    for name, row in effective["contrasts"].items():
        (a, under), (b, against) = sides(row)
        for side, average in (("a", a), ("b", b)):
            if average not in averages:
                continue
            runs = {}
            for member in averages[average]:
                first = scores.of(member if side == "a" else a, under, row["measure"])
                second = scores.of(member if side == "b" else b, against, row["measure"])
                runs[member] = float(np.mean(first - second))
            differences = list(runs.values())
            whole = scores.of(a, under, row["measure"]) - scores.of(b, against, row["measure"])
            clusters = group(scores.clusters)
            yield {
                "contrast": name,
                "average": average,
                "runs": runs,
                "sd": float(np.std(differences, ddof=1)),
                "range": [min(differences), max(differences)],
                "se": standard_error(clusters.sums(whole), clusters.counts) if clusters.n_clusters > 1 else None,
            }


def mixed_models(effective: Mapping[str, Any], scores: Scores) -> list[dict[str, Any]]:
    """Return the mixed model of each contrast if the trial asks for it; one that cannot be fitted says why.

    What a fit does not give, such as the standard error of a singular one, is None.
    """
    if not effective.get("mixed_model"):
        return []
    rows = []
    for name, row in effective["contrasts"].items():
        a, b = (scores.of(*cell, row["measure"]) for cell in sides(row))
        try:
            fit = asdict(mixed_model(a, b, scores.clusters))
        except StatisticsError as error:
            fit = {"fault": error.message}
        rows.append({"contrast": name} | {key: _plain(value) for key, value in fit.items()})
    return rows


def _plain(value: Any) -> Any:  # what JSON can hold
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
