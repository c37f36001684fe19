"""How numbers are written in every output: points, intervals, counts; and text that can harm nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = [
    "clean",
    "count",
    "deciding",
    "higher_arm",
    "interval",
    "lower_arm",
    "pair",
    "points",
    "printed",
    "shortened",
    "side_name",
    "under",
    "verdict_words",
]

Pair = Sequence[float]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Return a text with a replacement character for each one that no page or terminal should meet.

    Tabs and line ends stay; a carriage return is one of the others, so that no offset moves.
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def count(number: int, what: str) -> str:
    """Return a number with its noun: ``1 question``, ``2,245 questions``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def points(value: float) -> str:
    """Return a difference in points, with its sign; one that rounds to zero has none."""
    text = f"{value * 100:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def interval(ci: Pair | None, sign: str = "+") -> str:
    """Return an interval in points: ``[+1.0, +5.4]``."""
    return f"[{ci[0] * 100:{sign}.1f}, {ci[1] * 100:{sign}.1f}]" if ci else "no interval"


def printed(row: Mapping[str, Any]) -> tuple[int, Pair | None]:
    """Return the interval that tables print, and its percentage: 90 where a margin is tested, else 95."""
    return (95, row["ci95"]) if row["test"] == "difference" else (90, row["ci90"])


def deciding(row: Mapping[str, Any]) -> tuple[int, Pair | None]:
    """Return the interval that the verdict rests on, and its percentage: "different" is always a matter of 95%."""
    return (95, row["ci95"]) if row["verdict"] == "different" else printed(row)


def side_name(row: Mapping[str, Any], side: str) -> str:
    """Return what a side of a contrast is called: its arm, and where both have one, its retriever."""
    if row["a"] != row["b"] or "against" not in row:
        return str(row[side])
    return f"{row[side]} under {row['retriever' if side == 'a' else 'against']}"


def pair(row: Mapping[str, Any]) -> str:
    """Return the two sides of a contrast: ``headers - fixed``."""
    return f"{side_name(row, 'a')} - {side_name(row, 'b')}"


def under(row: Mapping[str, Any]) -> str:
    """Return the retriever of a contrast, or both where B has another than A."""
    return f"{row['retriever']}, B under {row['against']}" if "against" in row else str(row["retriever"])


def higher_arm(row: Mapping[str, Any]) -> str | None:
    """Return the arm with the higher mean, as computed; None where both are the same."""
    return {"A": side_name(row, "a"), "B": side_name(row, "b")}.get(row["direction"])


def lower_arm(row: Mapping[str, Any]) -> str | None:
    """Return the arm with the lower mean, as computed; None where both are the same."""
    return {"A": side_name(row, "b"), "B": side_name(row, "a")}.get(row["direction"])


def verdict_words(row: Mapping[str, Any]) -> str:
    """Return a row's verdict with its direction in words, computed from the record."""
    higher = higher_arm(row)
    words = str(row["verdict"])
    if words == "different" and higher:
        words = f"{words}: {higher} is higher"
    return f"{words} ({row['remark']}: {higher} is higher)" if row["remark"] else words


def shortened(text: str, most: int) -> str:
    """Return a text on one line, cut after so many characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
