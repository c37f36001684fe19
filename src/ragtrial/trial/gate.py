"""The gate for continuous integration: is A not worse than B by more than a margin?"""

from __future__ import annotations

from dataclasses import dataclass

from ragtrial.errors import UsageError, did_you_mean
from ragtrial.statistics.compare import Paired, compare_many
from ragtrial.trial.analyse import POINT
from ragtrial.trial.record import Record
from ragtrial.trial.sides import sides
from ragtrial.trial.tables import read_scores

__all__ = ["Gate", "non_inferior"]


@dataclass(frozen=True)
class Gate:
    """Whether a contrast passed, and one honest sentence about it."""

    passed: bool
    sentence: str


def non_inferior(record: Record, contrast: str, margin: float) -> Gate:
    """Test, one-sided at 5%, whether A of a contrast is at most ``margin`` points worse than B.

    It passes if the lower end of the 90% interval lies above -margin. Where no interval can
    be given it does not pass: a gate that cannot tell is shut.
    """
    if margin <= 0:
        raise UsageError(f"A margin of {margin} points is none.", hint="Give a positive number of points, such as 2.")
    effective = record.header["effective"]
    if contrast not in effective["contrasts"]:
        raise UsageError(
            f"The record {record.folder} has no contrast {contrast!r}.",
            hint=did_you_mean(contrast, effective["contrasts"]),
        )
    row = effective["contrasts"][contrast]
    scores = read_scores(record)
    a, b = (scores.of(*cell, row["measure"]) for cell in sides(row))
    pair = Paired(a, b, scores.clusters, scores.strata, margin=margin * POINT, test="non-inferiority")
    keys = ("interval", "resamples", "seed")
    result = compare_many([pair], **{key: effective[key] for key in keys})[0]
    other = f" and {row['against']}" if "against" in row else ""
    what = f"{row['a']} against {row['b']} in {row['measure']} under {row['retriever']}{other}"
    size = f"on {result.n:,} questions in {result.n_clusters:,} clusters"
    if result.ci90 is None or result.p_non_inferior is None:
        return Gate(False, f"NOT PASSED: {what}: too few clusters for any interval ({size}).")
    low, high = (end / POINT for end in result.ci90)
    passed = result.p_non_inferior < 0.05
    verdict = f"is {'' if passed else 'not shown to be '}at most {margin:g} points worse"
    return Gate(
        passed,
        f"{'PASSED' if passed else 'NOT PASSED'}: {what} {verdict}: {result.difference / POINT:+.1f} points "
        f"[{low:+.1f}, {high:+.1f}] (90%), p = {result.p_non_inferior:.3g}, {size}.",
    )
