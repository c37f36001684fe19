"""All steps of an arm: what is put before chunks, and what makes chunk sets of chunk sets."""

from __future__ import annotations

from ragtrial.merging import MERGES
from ragtrial.prefixes import PREFIXES

__all__ = ["STEPS"]

STEPS = PREFIXES | MERGES
