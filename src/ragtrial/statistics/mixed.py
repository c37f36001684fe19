"""The mixed model of KMR, a secondary check that is known to be conservative."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragtrial.errors import StatisticsError
from ragtrial.statistics import normal
from ragtrial.statistics.clusters import Labels, group, scores
from ragtrial.statistics.intervals import Interval
from ragtrial.statistics.optional import require

__all__ = ["MixedModel", "mixed_model"]


@dataclass(frozen=True, slots=True)
class MixedModel:
    """The coefficient of the condition (A against B), its Wald test (p is None where the fit has no standard error),
    whether the fit converged, and the library's own warnings as notes.
    """

    coefficient: float
    se: float
    ci95: Interval
    p: float | None
    converged: bool
    notes: tuple[str, ...]


def mixed_model(a: ArrayLike, b: ArrayLike, clusters: Labels) -> MixedModel:
    """Fit score ~ condition with a random intercept per cluster, over both arms' scores; needs statsmodels.

    score_qc = intercept + beta [condition is A] + u_document + e, by restricted maximum likelihood; the p-value
    is that of the Wald z test. The model has no random effect per question although both arms answer the same
    questions, so differences between questions stay in its residual: it is conservative for small paired effects.

    Parameters
    ----------
    a, b : float arrays of shape (questions,)
    clusters : one label a question

    Raises
    ------
    StatisticsError
        Arrays that do not pair up, one cluster, or scores without any spread.
    MissingExtraError
        statsmodels is not installed.

    Source: Kuehlkamp et al. 2026, section 5 and appendix; METHODS section 6.

    >>> fit = mixed_model([0.5, 0.7, 0.2, 0.9], [0.4, 0.5, 0.3, 0.8], ["p1", "p1", "p2", "p2"])
    >>> round(fit.coefficient, 6)
    0.075
    """
    first, second = scores(a, "A"), scores(b, "B")
    if len(first) != len(second):
        raise StatisticsError(f"A has {len(first)} scores and B has {len(second)}.", hint="Give pairs.")
    grouped = group(clusters)
    score = np.concatenate([first, second])
    if grouped.n != len(first):
        raise StatisticsError(
            f"There are {grouped.n} cluster labels for {len(first)} questions.", hint="Give one each."
        )
    if grouped.n_clusters < 2 or float(np.ptp(score)) == 0.0:
        raise StatisticsError(
            "A random intercept needs at least two clusters and scores that differ.",
            hint="Use more documents, or a measure that separates questions.",
        )
    condition = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
    design = np.column_stack([np.ones(len(score)), condition])
    model = require("statsmodels.regression.mixed_linear_model", "The mixed model")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = model.MixedLM(score, design, groups=np.tile(grouped.codes, 2)).fit(reml=True)
    beta, se = float(fit.fe_params[1]), float(fit.bse_fe[1])
    half = normal.quantile(0.975) * se
    p = 2.0 * normal.cdf(-abs(beta / se)) if math.isfinite(se) and se > 0.0 else None
    notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return MixedModel(beta, se, (beta - half, beta + half), p, bool(fit.converged), notes)
