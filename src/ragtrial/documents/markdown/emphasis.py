"""Which ``*``, ``_`` and ``~`` of a text are marks and which are text (CommonMark 0.31, section 6.2; GFM, 6.5)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

__all__ = ["Delimiters"]


@dataclass(slots=True)
class _Run:
    """A run of equal delimiters: its place among the pieces of the text, and what it may do there."""

    piece: int
    character: str
    length: int
    left: int
    opens: bool
    closes: bool


class Delimiters:
    """Collects the runs of delimiters of a text and strikes out those that pair up.

    Parameters
    ----------
    pieces : list of str
        The text in pieces; each run of delimiters is one of them, and is changed in place.
    """

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        return len(self._runs)

    def add(self, character: str, length: int, before: str, after: str) -> None:
        """Append a run to the pieces; ``before`` and ``after`` are the characters beside it, "" at an end."""
        left = _flanks(after, before)
        right = _flanks(before, after)
        opens, closes = left, right
        if character == "_":
            opens = left and (not right or _is_punctuation(before))
            closes = right and (not left or _is_punctuation(after))
        if character == "~" and length > 2:
            opens = closes = False
        if opens or closes:
            self._runs.append(_Run(len(self._pieces), character, length, length, opens, closes))
        self._pieces.append(character * length)

    def pair(self, bottom: int = 0) -> None:
        """Strike out the marks among the runs from number ``bottom`` on, and forget these runs."""
        openers: list[int] = []
        # For each kind of closer: no opener for it lies at or before this run.
        floors: dict[tuple[str, bool, int], int] = {}
        runs = self._runs
        for number in range(bottom, len(runs)):
            closer = runs[number]
            while closer.closes and closer.left:
                kind = (closer.character, closer.opens, closer.length % 3 if closer.character != "~" else closer.length)
                found = self._opener(openers, closer, floors.get(kind, -1))
                if found < 0:
                    floors[kind] = number - 1
                    break
                del openers[found + 1 :]
                opener = runs[openers[found]]
                used = closer.left if closer.character == "~" else 1 + (opener.left > 1 and closer.left > 1)
                opener.left -= used
                closer.left -= used
                if not opener.left:
                    openers.pop()
            if closer.opens and closer.left:
                openers.append(number)
        for run in runs[bottom:]:
            self._pieces[run.piece] = run.character * run.left
        del runs[bottom:]

    def _opener(self, openers: list[int], closer: _Run, floor: int) -> int:
        """Return the place among the openers of the one that a closer closes, -1 if there is none above the floor."""
        for place in range(len(openers) - 1, -1, -1):
            if openers[place] <= floor:
                break
            opener = self._runs[openers[place]]
            if opener.character == closer.character and _match(opener, closer):
                return place
        return -1


def _match(opener: _Run, closer: _Run) -> bool:
    if opener.character == "~":
        return opener.length == closer.length
    if not (opener.closes or closer.opens):
        return True
    # The rule of three: a run that can do both may not close one with which it adds up to a multiple of three.
    return (opener.length + closer.length) % 3 != 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)


def _flanks(near: str, far: str) -> bool:
    """Tell whether a run is left-flanking, given the characters after and before it; right-flanking if swapped."""
    if _is_space(near):
        return False
    return not _is_punctuation(near) or _is_space(far) or _is_punctuation(far)


def _is_space(character: str) -> bool:
    return not character or character in " \t\n\f\r" or unicodedata.category(character) == "Zs"


def _is_punctuation(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "PS"
