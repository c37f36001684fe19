"""The gold of one question, prepared once and scored against many rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from ragtrial.errors import DataError
from ragtrial.measures.grams import GRAM_WORDS, word_grams
from ragtrial.text.words import word_splitter

__all__ = ["Gold", "Target"]


class Target(NamedTuple):
    """One evidence text.

    ``grams`` are its distinct grams. ``phrase`` is its words if it has 1 to 4 of them, which must then be found as a
    contiguous sequence; else it is empty. A text without words has neither, and is never found.
    """

    phrase: str
    grams: frozenset[str]

    @property
    def needed(self) -> int:
        """How many of the grams must be covered: at least half."""
        return (len(self.grams) + 1) // 2


@dataclass(frozen=True, slots=True)
class Gold:
    """All evidence of one question.

    Parameters
    ----------
    targets : tuple of Target
        The distinct evidence texts of all annotators.
    groups : tuple of tuple of int
        For each annotator, the numbers of his targets; no group is empty.
    grams : frozenset
        The union of the targets' grams.
    words : str
        The name of the word splitter.
    """

    targets: tuple[Target, ...]
    groups: tuple[tuple[int, ...], ...]
    grams: frozenset[str]
    words: str

    @classmethod
    def of(cls, groups: Sequence[Sequence[str]], words: str = "unicode") -> Self:
        """Prepare the evidence of one question.

        Parameters
        ----------
        groups : sequence of sequence of str
            The evidence texts of each annotator. A text counts once, however often and by however many it was marked;
            annotators who marked none are left out.
        words : {"unicode", "study"}
            The word splitter; it must be that of the texts that are scored.

        Raises
        ------
        DataError
            There is no evidence at all: such a question has no score.
        SpecError
            There is no such splitter.
        """
        split = word_splitter(words)
        numbers: dict[str, int] = {}
        for text in (text for group in groups for text in group):
            numbers.setdefault(text, len(numbers))
        if not numbers:
            raise DataError("A question without evidence cannot be scored.", hint="Exclude it and count it.")
        targets = tuple(_target(split(text)) for text in numbers)
        return cls(
            targets=targets,
            groups=tuple(tuple(dict.fromkeys(numbers[text] for text in group)) for group in groups if group),
            grams=frozenset().union(*(target.grams for target in targets)),
            words=words,
        )


def _target(words: list[str]) -> Target:
    return Target(" ".join(words) if len(words) < GRAM_WORDS else "", word_grams(words))
