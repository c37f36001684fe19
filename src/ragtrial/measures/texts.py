"""The chunks' own texts, with their tokens and grams computed when first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

from ragtrial.measures.grams import Piece
from ragtrial.text import tokens
from ragtrial.text.words import word_splitter

__all__ = ["TextTable"]

_HELD_CHARACTERS: Final = 20_000_000
"""Of how many characters of text the grams are held: some 35 bytes a character, 100 MB in all."""

T = TypeVar("T")


class TextTable:
    """Texts by number, as measures need them.

    Tokens and grams are computed once for each distinct text as long as the texts in use have no more than two million
    characters together: questions on one document, asked one after another, share its chunks.

    Parameters
    ----------
    texts : sequence of str
        The chunks' own texts, without prefixes.
    words : {"unicode", "study"}
        The word splitter; another name raises `SpecError`.
    """

    def __init__(self, texts: Sequence[str], words: str = "unicode") -> None:
        self.words = words
        self._texts = texts
        self._split = word_splitter(words)
        self._tokens = _Cached(tokens.encode)
        self._pieces = _Cached(partial(Piece.of, split=self._split))

    def __len__(self) -> int:
        return len(self._texts)

    def token_count(self, number: int) -> int:
        """Return how many cl100k_base tokens a text has."""
        return len(self._tokens(self._texts[number]))

    def whole(self, number: int) -> Piece:
        """Return a whole text."""
        return self._pieces(self._texts[number])

    def cut(self, number: int, kept: int) -> Piece:
        """Return what is left of a text when its first ``kept`` tokens are kept and decoded."""
        ids = self._tokens(self._texts[number])
        return self.whole(number) if kept >= len(ids) else Piece.of(tokens.decode(ids[:kept]), self._split)


class _Cached(Generic[T]):
    """A function of a text that remembers its results, and forgets them all when they became too many."""

    def __init__(self, compute: Callable[[str], T]) -> None:
        self._compute = compute
        self._results: dict[str, T] = {}
        self._held = 0

    def __call__(self, text: str) -> T:
        result = self._results.get(text)
        if result is None:
            result = self._compute(text)
            self._held += len(text)
            if self._held > _HELD_CHARACTERS:
                self._results.clear()
                self._held = len(text)
            self._results[text] = result
        return result
