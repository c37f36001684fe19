"""What was measured of each part of a study, and where a published row finds its own in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["PartRows", "contrast_in", "swapped_among", "swapped_in_contrast"]


@dataclass(frozen=True)
class PartRows:
    """What was measured of a part: the header of its record, its contrasts, its exploratory analyses and its grid.

    ``swapped`` names for each arm and retriever, and for "answers", the roles in it that another model plays;
    ``sample`` is the size of a smaller sample than the paper's, and ``other`` says what stands in place of its data.
    """

    header: Mapping[str, Any]
    contrasts: Sequence[Mapping[str, Any]]
    exploratory: Mapping[str, Any]
    grid: Sequence[Mapping[str, Any]]
    swapped: Mapping[str, Sequence[str]]
    sample: int | None = None
    other: str | None = None

    @property
    def whole(self) -> bool:
        """Whether the part was measured on the paper's own sample, so that its counts must be equal."""
        return self.sample is None and self.other is None


def contrast_in(parts: Mapping[str, PartRows], part: str, name: str) -> Mapping[str, Any] | None:
    """Return the row of a contrast; None where the part, or the contrast in it, was not measured."""
    rows = parts[part].contrasts if part in parts else []
    return next((row for row in rows if row["name"] == name), None)


def swapped_among(rows: PartRows, names: Iterable[str]) -> list[str]:
    """Return the roles that another model plays in any of some arms and retrievers, or in "answers"."""
    return sorted({role for name in names for role in rows.swapped.get(name, [])})


def swapped_in_contrast(rows: PartRows, row: Mapping[str, Any]) -> list[str]:
    """Return the roles that another model plays in a contrast: in its arms, its retrievers and its answers."""
    averages = rows.header["effective"].get("averages", {})
    arms = [member for side in ("a", "b") for member in averages.get(row[side], [row[side]])]
    names = [*arms, row["retriever"], row.get("against", row["retriever"])]
    answered = ["answers"] if row["measure"].startswith(("token-f1", "nuggets")) else []
    return swapped_among(rows, [*names, *answered])
