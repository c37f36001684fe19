"""The exploratory analyses of METHODS section 6: features and scores to descriptions, which no plan covers.

Made from the record's own tables alone, so that `ragtrial.trial.verify` can make them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ragtrial.trial.exploratory.cuts import Cuts, Values
from ragtrial.trial.exploratory.features import Feature
from ragtrial.trial.scores import Scores

__all__ = ["EVIDENCE", "TERCILES", "explore"]

TERCILES = ("low", "middle", "high")

EVIDENCE = {"more": 1, "as much": 0, "less": -1}
"""How much evidence A found beside B, and the sign of the difference."""


def explore(
    effective: Mapping[str, Any],
    features: Iterable[Feature],
    counts: Mapping[tuple[str, str], Mapping[str, int]],
    scores: Scores,
) -> dict[str, Any]:
    """Return the analyses by name; one whose inputs do not exist is empty.

    Parameters
    ----------
    effective : mapping
        The effective parameters as a record holds them.
    features : iterable of Feature
    counts : mapping
        `ragtrial.trial.exploratory.found.found_counts`.
    scores : Scores

    Returns
    -------
    dict
        ``overlap``: each contrast in each third of the questions by lexical overlap with their evidence.
        ``split``: for each arm the mean share of evidence that no chunk holds whole. ``bridging``: for each arm its
        contrasts on bridged questions, on those with other missing terms, and on those without. ``targeting``: for
        each arm its mean and its contrasts in each third of the questions by it. ``answers``: each contrast in each
        measure of answers, where A found more of the evidence than B, less, as much.

        ``overlap``, ``bridging`` and ``targeting`` list cuts: ``arm`` (None for overlap), ``groups`` of questions with
        their contrasts, and ``between``: two of the groups, and by how much contrasts differ between them.
    """
    scored = set(scores.questions)
    by_feature: dict[str, dict[str | None, Values]] = {}
    for row in features:
        arms = by_feature.setdefault(row.feature, {}).setdefault(row.arm, {})
        if row.value is not None and row.question in scored:
            arms[row.question] = row.value
    cuts = Cuts(effective, scores)
    overlap = by_feature.get("overlap", {}).get(None, {})
    missing = by_feature.get("missing", {})
    bridged = {arm: values for arm, values in by_feature.get("bridged", {}).items() if values}
    targeting = {arm: values for arm, values in by_feature.get("targeting", {}).items() if values}
    return {
        "overlap": [_thirds(cuts, None, overlap, ("low", "high"))] if len(overlap) >= len(TERCILES) else [],
        "split": [{"arm": arm} | cuts.mean(own) for arm, own in by_feature.get("split", {}).items() if own],
        "bridging": [_bridging(cuts, str(arm), values, missing[arm]) for arm, values in bridged.items()],
        "targeting": [
            cuts.mean(values) | _thirds(cuts, str(arm), values, ("high", "low")) for arm, values in targeting.items()
        ],
        "answers": list(_answers(cuts, counts)),
    }


def _thirds(cuts: Cuts, arm: str | None, values: Values, between: tuple[str, str]) -> dict[str, Any]:
    own = np.array(list(values.values()))
    third = np.searchsorted(np.quantile(own, [1 / 3, 2 / 3]), own, side="left").tolist()
    groups = {name: [q for q, its in zip(values, third, strict=True) if its == n] for n, name in enumerate(TERCILES)}
    cut = _cut(cuts, arm, groups, between)
    for row in cut["groups"]:
        members = [values[question] for question in groups[row["group"]]]
        row |= {"low": min(members), "high": max(members)}
    return cut


def _bridging(cuts: Cuts, arm: str, bridged: Values, missing: Values) -> dict[str, Any]:
    groups = {
        "bridged": [q for q, value in bridged.items() if value],
        "missing, not bridged": [q for q, value in bridged.items() if missing[q] and not value],
        "none missing": [q for q in bridged if not missing[q]],
    }
    cut = _cut(cuts, arm, groups, ("bridged", "missing, not bridged"))
    gains = {row["contrast"]: row for row in cuts.contrasts(list(bridged), cuts.with_arm(arm))}
    for group in cut["groups"]:
        for row in group["contrasts"]:
            row["share"] = _share(row, gains[row["contrast"]])
    return cut


def _share(part: Mapping[str, Any], whole: Mapping[str, Any]) -> float | None:
    """Return the share of a gain that some questions carry; None where the gain may be 0, which nothing is a share of.

    Source: Mangla 2026, appendix D.
    """
    ci = whole["ci95"]
    if ci is None or ci[0] <= 0.0 <= ci[1]:
        return None
    return float(part["questions"] * part["difference"] / (whole["questions"] * whole["difference"]))


def _cut(cuts: Cuts, arm: str | None, groups: Mapping[str, Sequence[str]], between: tuple[str, str]) -> dict[str, Any]:
    """Return the contrasts of an arm, or all, in each group of questions that has any, and between two of them."""
    names = cuts.names if arm is None else cuts.with_arm(arm)
    first, second = between
    return {
        "arm": arm,
        "groups": [
            {"group": name, "questions": len(group), "contrasts": cuts.contrasts(group, names)}
            for name, group in groups.items()
            if group
        ],
        "between": {
            "first": first,
            "second": second,
            "contrasts": cuts.between(groups[first], groups[second], names),
        },
    }


def _answers(cuts: Cuts, counts: Mapping[tuple[str, str], Mapping[str, int]]) -> Iterator[dict[str, Any]]:
    """Yield how answers change where the evidence that was found changes."""
    for measure in cuts.answer_measures:
        for name in cuts.names:
            a, b = (counts.get(cell, {}) for cell in cuts.cells_of(name))
            for side, sign in EVIDENCE.items():
                own = [q for q in cuts.questions if q in a and q in b and (a[q] > b[q]) - (a[q] < b[q]) == sign]
                for row in cuts.contrasts(own, [name], measure):
                    yield row | {"measure": measure, "evidence": side}
