"""Word 5-grams of one piece of text: what evidence is matched on (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from ragtrial.text.words import WordSplitter

__all__ = ["GRAM_WORDS", "Piece", "word_grams"]

GRAM_WORDS: Final = 5


class Piece(NamedTuple):
    """A text as measures see it: its words in order, joined by blanks, and its distinct grams."""

    words: str
    grams: frozenset[str]

    @classmethod
    def of(cls, text: str, split: WordSplitter) -> Self:
        """Return the piece of a text under a word splitter."""
        words = split(text)
        return cls(" ".join(words), word_grams(words))

    def contains(self, phrase: str) -> bool:
        """Return whether a phrase, of one word or more, stands in the piece as a contiguous sequence of words."""
        return f" {phrase} " in f" {self.words} "


def word_grams(words: Sequence[str]) -> frozenset[str]:
    """Return the distinct grams: 5 words in a row; 1 to 4 words give one shorter gram, no words give none.

    A gram is its words joined by blanks, which no word holds: as strings, grams take half the memory of tuples and are
    no work for the garbage collector.
    """
    if len(words) < GRAM_WORDS:
        return frozenset([" ".join(words)] if words else ())
    return frozenset(map(" ".join, zip(words, words[1:], words[2:], words[3:], words[4:], strict=False)))
