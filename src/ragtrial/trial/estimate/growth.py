"""How an arm's input grows with the length of a document: linear for enrichment, quadratic for context."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ragtrial.trial.estimate.rows import GrowthRow, SizeRow

__all__ = ["growth_of"]


def growth_of(lengths: Mapping[str, int], inputs: Mapping[tuple[str, str], int]) -> list[GrowthRow]:
    """Return a row for each arm that asks about documents.

    Parameters
    ----------
    lengths : mapping of str to int
        The tokens of each document.
    inputs : mapping of (arm, document) to int
        The tokens of input of a document's calls.
    """
    rows = []
    for arm in dict.fromkeys(arm for arm, _ in inputs):
        pairs = sorted(
            (lengths[document], tokens)
            for (of, document), tokens in inputs.items()
            if of == arm and lengths.get(document, 0) and tokens
        )
        if pairs:
            rows.append(GrowthRow(arm, _exponent(pairs), _sizes(pairs)))
    return rows


def _sizes(pairs: list[tuple[int, int]]) -> tuple[SizeRow, ...]:
    groups: dict[int, list[tuple[int, int]]] = {}
    for length, tokens in pairs:
        groups.setdefault(length.bit_length(), []).append((length, tokens))
    return tuple(
        SizeRow(len(group), _mean([length for length, _ in group]), _mean([tokens for _, tokens in group]))
        for group in groups.values()
    )


def _exponent(pairs: list[tuple[int, int]]) -> float | None:
    """Return the least-squares slope of log tokens on log length; None without documents of different length."""
    xs = [math.log(length) for length, _ in pairs]
    ys = [math.log(tokens) for _, tokens in pairs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    width = sum((value - x) ** 2 for value in xs)
    if width < 1e-12:
        return None
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / width


def _mean(values: list[int]) -> float:
    return sum(values) / len(values)
