"""Chunk sets made of chunk sets: the one component is ``merge``; each way of choosing partners is a small file."""

from __future__ import annotations

from ragtrial.specs import Registry

__all__ = ["MERGES"]

MERGES = Registry("step", {"merge": "ragtrial.merging.merge:Merge"})
