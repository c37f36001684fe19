"""What selected pieces cover of one question's gold: the state that recall and precision are read from."""

from __future__ import annotations

from ragtrial.measures.evidence import Gold, Target
from ragtrial.measures.grams import Piece

__all__ = ["Coverage"]


class Coverage:
    """The union of the grams of whole pieces, which only grows, seen with or without one more piece behind them.

    Parameters
    ----------
    gold : Gold
    selected : bool
        Whether to keep all selected grams, which precision needs, or only the gold ones among them.
    """

    def __init__(self, gold: Gold, *, selected: bool) -> None:
        self._gold = gold
        self._covered: set[str] = set()
        self._selected: set[str] | None = set() if selected else None
        self._phrases: set[str] = set()
        self._sought = {target.phrase for target in gold.targets if target.phrase}

    def add(self, piece: Piece) -> None:
        """Add a whole piece."""
        self._covered |= self._gold.grams & piece.grams
        if self._selected is not None:
            self._selected |= piece.grams
        if self._sought:
            self._phrases |= self._phrases_in(piece)

    def found(self, part: Piece | None = None) -> list[bool]:
        """Return for each target whether the pieces so far, and the part if there is one, find it.

        A target of 5 words or more is found if at least half of its distinct grams are in the union of the pieces'
        grams; a shorter one if its words stand in one piece as a contiguous sequence; one without words never.
        """
        covered, phrases = self._covered, self._phrases
        if part is not None:
            covered = covered | (self._gold.grams & part.grams)
            phrases = phrases | self._phrases_in(part)
        return [_is_found(target, covered, phrases) for target in self._gold.targets]

    def precision(self, part: Piece | None = None) -> float:
        """Return the share of the distinct selected grams that are gold; 0.0 if nothing was selected."""
        assert self._selected is not None, "this coverage does not keep the selected grams"
        selected, covered = len(self._selected), len(self._covered)
        if part is not None:
            new = part.grams - self._selected
            selected += len(new)
            covered += len(new & self._gold.grams)
        return covered / selected if selected else 0.0

    def _phrases_in(self, piece: Piece) -> set[str]:
        return {phrase for phrase in self._sought if piece.contains(phrase)}


def _is_found(target: Target, covered: set[str], phrases: set[str]) -> bool:
    if target.phrase:
        return target.phrase in phrases
    return bool(covered) and len(target.grams & covered) >= target.needed > 0
