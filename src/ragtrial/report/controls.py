"""What a contrast holds fixed: read off the parameters of its arms, never off their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = [
    "CONTROLS",
    "RETRIEVER",
    "arms_of",
    "asks_model",
    "control_of",
    "control_of_contrast",
    "differing",
    "is_control",
]

Parameters = Mapping[str, Any]

MATCHED: Final = frozenset({"length_matched", "windows_matched"})
PAID: Final = frozenset({"context", "enriched", "per_field"})
FREE: Final = frozenset({"breadcrumb", "lead", "path", "title"})
CHANCE: Final = frozenset({"random", "similar"})

CONTROLS: Final = {
    "content or tokens": "a placebo has the tokens without the content",
    "boundary or length": "an arm of matched length has other boundaries",
    "paid or free": "a twin that asks no language model",
    "keys or fewer chunks": "as many merges, chosen otherwise",
}
"""The questions that a control answers, and what the control is."""

RETRIEVER: Final = "retriever: the same chunks"
"""What a contrast of two retrievers on one arm compares."""


def control_of(a: Parameters, b: Parameters) -> str:
    """Return which question a contrast of two arms answers, given what they have in common."""
    same_chunker, same_steps = a["chunker"] == b["chunker"], a["steps"] == b["steps"]
    if same_chunker:
        return _steps_control(a, b) if not same_steps else "nothing differs between the arms"
    if not same_steps:
        return "boundaries and what is put before them, at once: neither is isolated"
    matched = any(name in MATCHED for name in _chunkers(a, b))
    return "boundary or length" if matched else "boundaries, and with them length"


def control_of_contrast(row: Mapping[str, Any], arms: Mapping[str, Parameters]) -> str:
    """Return which question a contrast answers; ``arms`` is what `arms_of` gives."""
    if "against" not in row:
        return control_of(arms[row["a"]], arms[row["b"]])
    return RETRIEVER if row["a"] == row["b"] else "arm and retriever at once: neither is isolated"


def arms_of(effective: Mapping[str, Any]) -> dict[str, Parameters]:
    """Return the parameters of each arm; an average of arms, which are runs of one design, has those of its first."""
    arms = dict(effective["arms"])
    return arms | {name: arms[members[0]] for name, members in effective.get("averages", {}).items()}


def is_control(a: Parameters, b: Parameters) -> bool:
    """Tell whether one of two arms was made to control the other."""
    return control_of(a, b) in CONTROLS


def _steps_control(a: Parameters, b: Parameters) -> str:
    if _merged(a) and _merged(b):
        chance = _merged(a) in CHANCE or _merged(b) in CHANCE
        return "keys or fewer chunks" if chance and _merged(a) != _merged(b) else "how the same chunks are merged"
    if _unplaced(a) == _unplaced(b):
        return "where the same text stands: before the chunks or behind them"
    if ("placebo" in _names(a)) != ("placebo" in _names(b)):
        return "content or tokens"
    if asks_model(a) != asks_model(b) and (_free(a) if asks_model(b) else _free(b)):
        return "paid or free"
    return "what is put before the same chunks"


def asks_model(arm: Parameters) -> bool:
    """Tell whether a step of an arm asks a language model for the text before its chunks."""
    return any(step["component"] in PAID and step.get("model") != "extractive" for step in arm["steps"])


def _free(arm: Parameters) -> bool:
    return any(step["component"] in FREE or step.get("model") == "extractive" for step in arm["steps"])


def _unplaced(arm: Parameters) -> list[dict[str, Any]]:
    return [{key: step[key] for key in step if key != "place"} for step in arm["steps"]]


def _merged(arm: Parameters) -> str | None:
    return next((str(step["by"]) for step in arm["steps"] if step["component"] == "merge"), None)


def _names(arm: Parameters) -> set[str]:
    return {str(step["component"]) for step in arm["steps"]}


def differing(a: Parameters, b: Parameters) -> str:
    """Return what differs between two arms in words."""
    parts = []
    if a["chunker"] != b["chunker"]:
        one, other = _chunkers(a, b)
        parts.append(f"chunker: {one} against {other}" if one != other else f"parameters of {one}")
    if a["steps"] != b["steps"]:
        parts.append(f"added to the chunks: {_steps(a)} against {_steps(b)}")
    return "; ".join(parts) or "nothing"


def _chunkers(a: Parameters, b: Parameters) -> tuple[str, str]:
    return str(a["chunker"]["component"]), str(b["chunker"]["component"])


def _steps(arm: Parameters) -> str:
    return " + ".join(_step(step) for step in arm["steps"]) or "nothing"


def _step(step: Parameters) -> str:
    return f"{step['place']}({step['component']})" if "place" in step else str(step["component"])
