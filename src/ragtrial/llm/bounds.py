"""The most tokens that a server can count in a request, known before it is sent."""

from __future__ import annotations

import json
import math
import re
import string
import threading
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ragtrial.text.tokens import count

__all__ = ["TokenBounds", "Weight"]

_FACTOR: Final = 2.0
_LETTERS: Final = string.ascii_letters.encode()
_ONE_BLANK: Final = re.compile(rb"(?<! ) (?! )")
_FRAME: Final = 64
"""Tokens that a server may put around messages."""


class Weight(NamedTuple):
    """The cl100k tokens of a text, its bytes in UTF-8, and those bytes that tokenizers differ most about.

    ``odd`` bytes are all but ASCII letters and single blanks: a digit, a sign, a byte of another script or a blank of
    many may be a token of its own elsewhere.
    """

    tokens: int
    bytes: int
    odd: int

    @classmethod
    def of(cls, text: str) -> Weight:
        """Weigh a text."""
        data = text.encode("utf-8", "surrogatepass")
        odd = len(data.translate(None, _LETTERS)) - len(_ONE_BLANK.findall(data))
        return cls(count(text), len(data), odd)

    @classmethod
    def of_body(cls, body: Mapping[str, Any]) -> Weight:
        """Weigh all that a request's body says, its schema too."""
        beside = json.dumps({name: value for name, value in body.items() if name != "messages"})
        texts = [cls.of(text) for text in (*(message["content"] for message in body["messages"]), beside)]
        return cls(*(sum(sizes) for sizes in zip(*texts, strict=True)))


class TokenBounds:
    """Bounds what a server counts by what cl100k counts.

    The bound is twice cl100k's count, more where this server has already counted more than cl100k, in proportion; plus
    one for every odd byte (`Weight`); but never more than the bytes, since no tokenizer in use makes more tokens than a
    text has bytes. 64 tokens are added for what a server puts around messages.
    """

    def __init__(self) -> None:
        self._ratio = 1.0
        self._turn = threading.Lock()

    def of(self, weight: Weight) -> int:
        """Return the most tokens of a text."""
        return min(weight.bytes, math.ceil(weight.tokens * _FACTOR * self._ratio) + weight.odd) + _FRAME

    def learn(self, weight: Weight, counted: int) -> None:
        """Take over that a server counted so many tokens in a text."""
        with self._turn:
            self._ratio = max(self._ratio, counted / (weight.tokens + _FRAME))
