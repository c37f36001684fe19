"""How long texts are for a tokenizer of the library tokenizers, without holding what it tells of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["token_counts"]

_AT_A_TIME: Final = 1000
"""An encoding takes a hundred bytes and more a token: those of a whole corpus would take gigabytes."""


def token_counts(tokenizer: Tokenizer, texts: Sequence[str], *, added: bool = True) -> list[int]:
    """Return the number of tokens of each text; with ``added``, those that the tokenizer adds are included."""
    counts: list[int] = []
    for start in range(0, len(texts), _AT_A_TIME):
        counts += map(len, tokenizer.encode_batch(list(texts[start : start + _AT_A_TIME]), add_special_tokens=added))
    return counts
