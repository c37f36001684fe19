"""Texts cut to a number of tokens before a server gets them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtrial.embedders.base import Identity
from ragtrial.embedders.batches import without_surrogates
from ragtrial.embedders.files import file_sha256
from ragtrial.embedders.lengths import token_counts
from ragtrial.embedders.tokenizer import find_tokenizer, read_whole_tokenizer
from ragtrial.text import tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["CL100K", "Cutter"]

CL100K: Final = "cl100k"
"""The tokenizer that counts where none is named."""


class Cutter:
    """Cuts texts after a number of tokens, those that a model adds not counted.

    What is left is a prefix of the text that ends where a token ends and never inside a character, and that has no more
    tokens than asked when it is cut into tokens by itself.
    """

    def __init__(self, most: int, tokenizer: str | None = None) -> None:
        """``tokenizer``: see `ragtrial.embedders.tokenizer.find_tokenizer`; None or "cl100k" is cl100k_base."""
        self.most = most
        self._name = CL100K if tokenizer is None else tokenizer

    def identity(self) -> Identity:
        """Return the number of tokens, and whose: the sha256 of their file; it alone decides where a text is cut."""
        return {"max_length": self.most, "tokenizer": CL100K if self._name == CL100K else file_sha256(self._file)}

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, none of them cut."""
        if self._name == CL100K:
            return [tokens.count(text) for text in texts]
        return token_counts(self._tokenizer, [without_surrogates(text) for text in texts], added=False)

    def cut(self, text: str) -> str:
        """Return the text, or as much of its beginning as fits."""
        starts = self._starts(text)
        while len(starts) > self.most:
            # Cut into tokens alone, a prefix may have more of them than it had in the whole text.
            text = text[: min(starts[self.most], len(text) - 1)]
            starts = self._starts(text)
        return text

    def _starts(self, text: str) -> list[int]:
        if self._name == CL100K:
            starts: list[int] = tokens.token_starts(text).tolist()
            return starts
        encoding = self._tokenizer.encode(without_surrogates(text), add_special_tokens=False)
        return [start for start, _ in encoding.offsets]

    @cached_property
    def _file(self) -> Path:
        return find_tokenizer(self._name)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return read_whole_tokenizer(self._file, f"The tokenizer {self._name!r}")
