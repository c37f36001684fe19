"""Which rows a judge makes exploratory, whatever the plan says of them (METHODS section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragtrial.measures.names import parse_measure

__all__ = ["judged_tiers"]


def judged_tiers(effective: Mapping[str, Any], answers: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return effective parameters in which contrasts on nuggets are exploratory unless the judge was accepted.

    Parameters
    ----------
    effective : mapping
        As a record holds them.
    answers : mapping or None
        The part of the record's header on answers; the judge was accepted if its controls have no faults.
    """
    controls = (answers or {}).get("controls")
    if controls is None or not controls["faults"]:
        return effective
    contrasts = {
        name: row | {"tier": "exploratory"} if parse_measure(row["measure"]).kind == "nuggets" else row
        for name, row in effective["contrasts"].items()
    }
    return {**effective, "contrasts": contrasts}
