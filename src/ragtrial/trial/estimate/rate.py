"""How fast a model answers: as the user says, else as the ledger shows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

from ragtrial.llm.ledger_rows import read_rows
from ragtrial.llm.options import ModelOptions

__all__ = ["call_rate", "ledger_rate"]

_PAUSE_SECONDS: Final = 120.0
_LEAST_CALLS: Final = 20


def call_rate(stated: float | None, ledger: Path) -> Callable[[ModelOptions], float | None]:
    """Return what gives a model's calls a minute, with as many in flight as there were or will be."""
    return lambda options: stated if stated is not None else ledger_rate(ledger, options.model)


def ledger_rate(ledger: Path, model: str) -> float | None:
    """Return how many calls a minute a model answered, by the times in a ledger; None from fewer than 20 calls.

    A pause of over two minutes is no part of the time: nobody asked then.
    """
    if not ledger.exists():
        return None
    times = sorted(
        datetime.fromisoformat(row["time"]).timestamp()
        for row in read_rows(ledger)
        if row.get("model") == model and isinstance(row.get("time"), str) and not row.get("unclear")
    )
    gaps = [after - before for before, after in pairwise(times) if after - before <= _PAUSE_SECONDS]
    if len(gaps) < _LEAST_CALLS or not sum(gaps):
        return None
    return 60 * len(gaps) / sum(gaps)
