"""The two conditions that a contrast compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["sides"]


def sides(contrast: Mapping[str, Any]) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return arm and retriever of A and of B; those of B share A's retriever unless the contrast says ``against``."""
    retriever = contrast["retriever"]
    return (contrast["a"], retriever), (contrast["b"], contrast.get("against", retriever))
