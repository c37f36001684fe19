"""What a ledger adds up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from ragtrial.llm.ledger_rows import read_rows
from ragtrial.llm.prices import PICO

__all__ = ["By", "Spent", "spent_by", "total_of"]

By: TypeAlias = Literal["arm", "day", "model", "step"]

_DAY: Final = len("2026-01-31")


@dataclass
class Spent:
    """What the calls of one group cost.

    ``picodollars`` counts the calls whose price is known; ``unpriced`` is how many others there are. ``unclear`` calls
    brought no answer and may have been paid; ``picodollars_unclear`` is the most that they can have cost, which is no
    part of ``picodollars``.
    """

    name: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    picodollars: int = 0
    unpriced: int = 0
    unclear: int = 0
    picodollars_unclear: int = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row of the ledger."""
        price = round((row.get("price") or 0) * PICO)
        if row.get("unclear"):
            self.unclear += 1
            self.picodollars_unclear += price
            return
        self.calls += 1
        self.input_tokens += row.get("input_tokens") or 0
        self.output_tokens += row.get("output_tokens") or 0
        self.picodollars += price
        self.unpriced += row.get("price") is None


_GROUPS: Final[Mapping[By, Callable[[Mapping[str, Any]], str]]] = {
    "arm": lambda row: str(row.get("arm") or ""),
    "day": lambda row: str(row.get("time") or "")[:_DAY],
    "model": lambda row: f"{row.get('model') or ''} ({row.get('server') or ''})",
    "step": lambda row: str(row.get("step") or ""),
}


def spent_by(path: Path, by: By) -> list[Spent]:
    """Return what the calls in a ledger cost, by arm, day in UTC, model or step, sorted by that name.

    A ledger that cannot be read raises `RecordError`.
    """
    groups: dict[str, Spent] = {}
    for row in read_rows(path):
        name = _GROUPS[by](row)
        groups.setdefault(name, Spent(name)).add(row)
    return [groups[name] for name in sorted(groups)]


def total_of(groups: Iterable[Spent]) -> Spent:
    """Return the sums over all groups."""
    rows = list(groups)
    names = [field.name for field in fields(Spent) if field.name != "name"]
    return Spent("all", **{name: sum(getattr(row, name) for row in rows) for name in names})
