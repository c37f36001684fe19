"""Word 5-grams of one piece of text: what evidence is matched on (METHODS section 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Self, TypeAlias

from ragtrial.text.words import WordSplitter

__all__ = ["GRAM_WORDS", "Gram", "Piece", "contains_phrase", "word_grams"]

GRAM_WORDS: Final = 5

Gram: TypeAlias = tuple[str, ...]


class Piece(NamedTuple):
    """A text as measures see it: its words in order, and its distinct grams."""

    words: Sequence[str]
    grams: frozenset[Gram]

    @classmethod
    def of(cls, text: str, split: WordSplitter) -> Self:
        """Return the piece of a text under a word splitter."""
        words = split(text)
        return cls(words, word_grams(words))


def word_grams(words: Sequence[str]) -> frozenset[Gram]:
    """Return the distinct 5-word tuples; 1 to 4 words give one shorter tuple, no words give none."""
    if len(words) < GRAM_WORDS:
        return frozenset([tuple(words)] if words else ())
    return frozenset(zip(words, words[1:], words[2:], words[3:], words[4:], strict=False))


def contains_phrase(words: Sequence[str], phrase: Gram) -> bool:
    """Return whether the phrase, of one word or more, stands in the words as a contiguous sequence."""
    return phrase in zip(*(words[start:] for start in range(len(phrase))), strict=False)
