"""The chunks' own texts, with their tokens and grams computed when first needed."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final, TypeVar

from ragtrial.measures.grams import Piece
from ragtrial.text import tokens
from ragtrial.text.words import word_splitter

__all__ = ["TextTable", "count_tokens"]

_HELD_TOKENS: Final = 50_000_000
"""Of how many characters of text the tokens are held: about a byte a character."""

_HELD_GRAMS: Final = 1_000_000
"""Of how many characters of text the grams are held: some 20 bytes a character."""

T = TypeVar("T")


class TextTable:
    """Texts by number, as measures need them.

    Grams are computed once for each distinct text as long as the texts in use have no more than a million characters
    together: questions on one document, asked one after another, share its chunks. Tokens are shared by all tables of
    a process: arms that differ in their prefix alone have the same texts.

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
        self._tokens = _tokens_of()
        self._pieces = _Remembered(partial(Piece.of, split=self._split), _HELD_GRAMS)

    def __len__(self) -> int:
        return len(self._texts)

    def token_count(self, number: int) -> int:
        """Return how many cl100k_base tokens a text has."""
        return len(self._tokens[self._texts[number]])

    def whole(self, number: int) -> Piece:
        """Return a whole text."""
        return self._pieces[self._texts[number]]

    def cut(self, number: int, kept: int) -> Piece:
        """Return what is left of a text when its first ``kept`` tokens are kept and decoded."""
        ids = self._tokens[self._texts[number]]
        return self.whole(number) if kept >= len(ids) else Piece.of(tokens.decode(ids[:kept].tolist()), self._split)


def count_tokens(text: str) -> int:
    """Return how many cl100k_base tokens a text has; one that a table has already encoded is not encoded again."""
    held = _tokens_of().get(text)
    return tokens.count(text) if held is None else len(held)


@cache
def _tokens_of() -> _Remembered[array[int]]:
    return _Remembered(_encoded, _HELD_TOKENS)


def _encoded(text: str) -> array[int]:
    return array("I", tokens.encode(text))


class _Remembered(dict[str, T]):
    """The results of a function of a text, by text; all are forgotten when the texts held became too long."""

    def __init__(self, compute: Callable[[str], T], most: int) -> None:
        super().__init__()
        self._compute = compute
        self._most = most
        self._held = 0

    def __missing__(self, text: str) -> T:
        result = self._compute(text)
        self._held += len(text)
        if self._held > self._most:
            self.clear()
            self._held = len(text)
        self[text] = result
        return result
