"""The words of a question that carry its meaning: what overlap, bridging and targeting are counted on."""

from __future__ import annotations

from typing import Final

from ragtrial.text.words import word_splitter

__all__ = ["STOP_WORDS", "terms"]

_ENGLISH: Final = """
    about above after again all also am an and any are as at be because been before being below between both but by can
    could did do does doing down during each either few for from further had has have having he her here hers him his
    how if in into is it its just may me might more most must my neither no nor not of off on once only or other our
    ours out over own same shall she should so some such than that the their theirs them then there these they this
    those through to too under until up upon us very was we were what when where whether which while who whom whose
    why will with within without would you your yours
"""

STOP_WORDS: Final = frozenset(_ENGLISH.split())
"""English words that say how, not what; of other languages none is dropped."""


def terms(text: str, words: str) -> frozenset[str]:
    """Return the distinct words of a text without stop words and one-letter words of spaced scripts.

    One sign of an unspaced script is a word, and stays.
    """
    return frozenset(
        word
        for word in word_splitter(words)(text)
        if word not in STOP_WORDS and (len(word) > 1 or not _is_letter(word))
    )


def _is_letter(word: str) -> bool:
    # Latin, Greek, Cyrillic and their like end below the first unspaced script.
    return word < "\u0e00"
