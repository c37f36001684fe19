"""How many words a question takes from its evidence: ROUGE-L and shared n-grams (METHODS section 7).

Words are those of `ragtrial.text.words.unicode_words`: any script, no stemming; on ASCII text the runs of letters and
digits of the lower-cased text. In scripts without spaces a word is one letter, so four of them are a short phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ragtrial.text.words import unicode_words

__all__ = ["Leak", "Overlap", "lcs_length", "rouge_l", "shares_gram"]

Leak: TypeAlias = Literal["", "rouge", "gram"]
"""Why a question is too near to its evidence; "" if it is not."""


@dataclass(frozen=True)
class Overlap:
    """The filter that a question has to pass against each span of its evidence.

    - ``rouge``: the highest ROUGE-L F1 that passes;
    - ``gram``: so many words in a row may not be shared.
    """

    rouge: float = 0.35
    gram: int = 4

    def leak(self, question: str, spans: Iterable[str]) -> Leak:
        """Return why a question is rejected, or "" if it passes."""
        for span in spans:
            if shares_gram(question, span, self.gram):
                return "gram"
            if rouge_l(question, span) > self.rouge:
                return "rouge"
        return ""


def rouge_l(one: str, two: str) -> float:
    """Return ROUGE-L F1 of two texts: that of their longest common subsequence of words, 0 if one has no word.

    Precision and recall count alike. Source: Lin 2004, with beta = 1.
    """
    a, b = unicode_words(one), unicode_words(two)
    if not a or not b:
        return 0.0
    return 2 * lcs_length(a, b) / (len(a) + len(b))


def shares_gram(one: str, two: str, n: int) -> bool:
    """Tell whether two texts have ``n`` words in a row in common; a text with fewer words shares none."""
    return not _grams(unicode_words(one), n).isdisjoint(_grams(unicode_words(two), n))


def lcs_length(one: Sequence[str], two: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    One whole number holds a row of the table as bits, so that a question against a long section takes no time.
    Source: Hyyrö 2004, "Bit-parallel LCS-length computation revisited".
    """
    places: dict[str, int] = {}
    for number, word in enumerate(one):
        places[word] = places.get(word, 0) | 1 << number
    everything = (1 << len(one)) - 1
    row = everything
    for word in two:
        if match := row & places.get(word, 0):
            row = ((row + match) | (row - match)) & everything
    return len(one) - row.bit_count()


def _grams(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + n]) for start in range(len(words) - n + 1)}
