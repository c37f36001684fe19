"""What a greedy oracle, which knows the evidence, reaches with the same chunks and budget (METHODS section 5.1).

Observed scores are read against it: what lies between the two was lost by the ranking, what lies above it by the chunk
boundaries and the budget. It is greedy, so it is a lower bound of the true ceiling, and a lucky ranking may pass it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from ragtrial.measures.budget import fill, pieces
from ragtrial.measures.coverage import Coverage
from ragtrial.measures.evidence import Gold
from ragtrial.measures.grams import Piece
from ragtrial.measures.recall import recall
from ragtrial.measures.texts import TextTable

__all__ = ["Goal", "ceiling", "greedy_ranking"]

Goal: TypeAlias = Literal["recall", "precision"]


class _Hits(NamedTuple):
    """The gold that a piece holds."""

    grams: frozenset[str]
    phrases: frozenset[str]


def ceiling(goal: Goal, budget: int, pool: Sequence[int], table: TextTable, gold: Gold) -> float:
    """Return the better score of two greedy orders of a pool: by gain, and by gain per token.

    Every text of the pool is looked at, so the time grows with the pool, not with the budget.

    Parameters
    ----------
    goal : {"recall", "precision"}
    budget : int
        In tokens.
    pool : sequence of int
        Numbers of the texts to choose from; their order does not matter.
    table : TextTable
    gold : Gold

    Returns
    -------
    float
        Recall or precision at the budget, 0 to 1.
    """
    orders = [greedy_ranking(goal, budget, pool, table, gold, per_token=per_token) for per_token in (False, True)]
    return max(_score(goal, budget, order, table, gold) for order in orders)


def greedy_ranking(
    goal: Goal, budget: int, pool: Sequence[int], table: TextTable, gold: Gold, *, per_token: bool
) -> list[int]:
    """Return the pool in the order in which a greedy oracle takes it until the budget is full.

    Each step takes the text whose kept part adds most coverage progress, or most progress per kept token. Progress
    towards recall is, summed over the evidence texts, the share covered of the grams needed to find it; towards
    precision, the number of gold grams covered. Ties go to the lowest number. What adds nothing follows in order.

    Parameters are those of `ceiling`.
    """
    progress = _PROGRESS[goal]
    numbers = sorted(set(pool))
    open_numbers = [number for number in numbers if any(_hits(table.whole(number), gold))]
    state = _Hits(frozenset(), frozenset())
    reached, used, order = 0.0, 0, list[int]()
    while open_numbers and used < budget:
        options = [_option(number, budget - used, table, gold, state) for number in open_numbers]
        gains = [progress(gold, option.state) - reached for option in options]
        worth = [gain / option.size if per_token else gain for gain, option in zip(gains, options, strict=True)]
        best = max(range(len(options)), key=worth.__getitem__)
        if gains[best] <= 0:
            break
        order.append(open_numbers.pop(best))
        state, reached, used = options[best].state, reached + gains[best], used + options[best].size
    taken = set(order)
    return order + [number for number in numbers if number not in taken]


@dataclass(frozen=True, slots=True)
class _Option:
    """Taking one text: how many tokens are kept, and what is covered afterwards."""

    size: int
    state: _Hits


def _option(number: int, left: int, table: TextTable, gold: Gold, state: _Hits) -> _Option:
    size = min(table.token_count(number), left)
    hits = _hits(table.cut(number, size), gold)
    return _Option(size, _Hits(state.grams | hits.grams, state.phrases | hits.phrases))


def _hits(piece: Piece, gold: Gold) -> _Hits:
    phrases = (target.phrase for target in gold.targets if target.phrase)
    return _Hits(
        gold.grams & piece.grams,
        frozenset(phrase for phrase in phrases if piece.contains(phrase)),
    )


def _towards_recall(gold: Gold, state: _Hits) -> float:
    return sum(
        float(target.phrase in state.phrases)
        if target.phrase
        else min(1.0, len(target.grams & state.grams) / target.needed)
        for target in gold.targets
        if target.grams
    )


def _towards_precision(_: Gold, state: _Hits) -> float:
    return float(len(state.grams))


_PROGRESS: Final[dict[Goal, Callable[[Gold, _Hits], float]]] = {
    "precision": _towards_precision,
    "recall": _towards_recall,
}


def _score(goal: Goal, budget: int, ranking: Sequence[int], table: TextTable, gold: Gold) -> float:
    coverage = Coverage(gold, selected=goal == "precision")
    (selection,) = fill(ranking, table, [budget])
    for piece in pieces(selection, ranking, table):
        coverage.add(piece)
    return recall(coverage.found()) if goal == "recall" else coverage.precision()
