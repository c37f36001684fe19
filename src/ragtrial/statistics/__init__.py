"""Arrays in, numbers out: the inference of a trial, from numpy alone.

``compare`` is the front door. The files below it hold one idea each, and data flows
one way through them: clusters, ratio, bootstrap, intervals, equivalence and
permutation, verdict, compare, families.
"""

from __future__ import annotations

from ragtrial.statistics.bootstrap import cluster_bootstrap
from ragtrial.statistics.compare import Comparison, Paired, compare, compare_many
from ragtrial.statistics.effects import Tally, cohens_dz, kappa, spearman, win_tie_loss
from ragtrial.statistics.equivalence import OneSided, tost_by_inversion, tost_t
from ragtrial.statistics.families import Judged, Row, judge
from ragtrial.statistics.holm import holm, holm_by_family
from ragtrial.statistics.mixed import MixedModel, mixed_model
from ragtrial.statistics.permutation import bootstrap_p, p_text, sign_flip
from ragtrial.statistics.power import (
    Pilot,
    PowerPoint,
    SampleSize,
    minimum_detectable_effect,
    power,
    power_curve,
    sample_size,
    standard_error_of,
)
from ragtrial.statistics.slope import DoseResponse, dose_response
from ragtrial.statistics.verdict import TESTS, TIERS, WORDS, Verdict, verdict

__all__ = [
    "TESTS",
    "TIERS",
    "WORDS",
    "Comparison",
    "DoseResponse",
    "Judged",
    "MixedModel",
    "OneSided",
    "Paired",
    "Pilot",
    "PowerPoint",
    "Row",
    "SampleSize",
    "Tally",
    "Verdict",
    "bootstrap_p",
    "cluster_bootstrap",
    "cohens_dz",
    "compare",
    "compare_many",
    "dose_response",
    "holm",
    "holm_by_family",
    "judge",
    "kappa",
    "minimum_detectable_effect",
    "mixed_model",
    "p_text",
    "power",
    "power_curve",
    "sample_size",
    "sign_flip",
    "spearman",
    "standard_error_of",
    "tost_by_inversion",
    "tost_t",
    "verdict",
    "win_tie_loss",
]
