"""What a contrast holds fixed: read off the parameters of its arms, never off their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["control_of", "differing", "is_control"]

Parameters = Mapping[str, Any]

MATCHED: Final = frozenset({"length_matched", "windows_matched"})
PLACEBOS: Final = frozenset({"placebo"})


def control_of(a: Parameters, b: Parameters) -> str:
    """Return which question a contrast of two arms answers, given what they have in common."""
    chunkers = _chunkers(a, b)
    same_chunker, same_steps = a["chunker"] == b["chunker"], a["steps"] == b["steps"]
    if same_chunker and same_steps:
        return "nothing differs between the arms"
    if same_chunker:
        return "content or tokens" if _placebo(a) != _placebo(b) else "what is put before the same chunks"
    if not same_steps:
        return "boundaries and what is put before them, at once: neither is isolated"
    return "boundary or length" if any(name in MATCHED for name in chunkers) else "boundaries, and with them length"


def is_control(a: Parameters, b: Parameters) -> bool:
    """Tell whether one of two arms was made to control the other: matched in length, or a placebo."""
    return control_of(a, b) in ("content or tokens", "boundary or length")


def differing(a: Parameters, b: Parameters) -> str:
    """Return what differs between two arms in words."""
    parts = []
    if a["chunker"] != b["chunker"]:
        one, other = _chunkers(a, b)
        parts.append(f"chunker: {one} against {other}" if one != other else f"parameters of {one}")
    if a["steps"] != b["steps"]:
        parts.append(f"before the chunks: {_steps(a)} against {_steps(b)}")
    return "; ".join(parts) or "nothing"


def _chunkers(a: Parameters, b: Parameters) -> tuple[str, str]:
    return str(a["chunker"]["component"]), str(b["chunker"]["component"])


def _placebo(arm: Parameters) -> bool:
    return any(step["component"] in PLACEBOS for step in arm["steps"])


def _steps(arm: Parameters) -> str:
    return " + ".join(str(step["component"]) for step in arm["steps"]) or "nothing"
