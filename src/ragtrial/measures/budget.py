"""Cutting a ranking: at a number of whole chunks, or at a token budget (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ragtrial.measures.grams import Piece
from ragtrial.measures.texts import TextTable

__all__ = ["Selection", "fill", "pieces"]


class Selection(NamedTuple):
    """What a cut leaves of a ranking: its first ``whole`` chunks, and of the next one a part or nothing."""

    whole: int
    part: Piece | None = None


def fill(ranking: Sequence[int], table: TextTable, budgets: Sequence[int]) -> list[Selection]:
    """Fill token budgets with one walk down a ranking.

    The texts' own tokens are counted. A text that does not fit is cut to the tokens that are left, and its kept part
    counts; nothing comes after it.

    Parameters
    ----------
    ranking : sequence of int
        Numbers of texts in the table, best first.
    table : TextTable
    budgets : sequence of int
        In tokens, ascending.

    Returns
    -------
    list of Selection
        One for each budget.
    """
    selections: list[Selection] = []
    used = 0
    for rank, number in enumerate(ranking):
        while len(selections) < len(budgets) and budgets[len(selections)] == used:
            selections.append(Selection(rank))
        if len(selections) == len(budgets):
            return selections
        size = table.token_count(number)
        while len(selections) < len(budgets) and budgets[len(selections)] < used + size:
            selections.append(Selection(rank, table.cut(number, budgets[len(selections)] - used)))
        used += size
    return selections + [Selection(len(ranking))] * (len(budgets) - len(selections))


def pieces(selection: Selection, ranking: Sequence[int], table: TextTable) -> list[Piece]:
    """Return the pieces of a selection in the order of the ranking."""
    whole = [table.whole(number) for number in ranking[: selection.whole]]
    return whole if selection.part is None else [*whole, selection.part]
