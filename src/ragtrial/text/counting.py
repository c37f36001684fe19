"""Whose tokens a size is counted in: tokenizers by name, each telling where the tokens of a text begin.

A chunk's size is the number of the document's tokens that begin in it. The document is
encoded once, as a whole, so sizes of chunks that tile it add up to its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError, MissingExtraError, SpecError, did_you_mean
from ragtrial.text import tokens
from ragtrial.text.wheels import MINILM_TOKENIZER

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["TOKENIZERS", "Tokenised", "TokenizerName", "tokenise"]

Counts = npt.NDArray[np.int64]

TokenizerName = Literal["cl100k", "minilm"]

_EXTRA: Final = "local"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class Tokenised:
    """A text's tokens: ``starts`` holds the offset, in characters, at which each begins; it never decreases."""

    length: int
    starts: Counts

    def __len__(self) -> int:
        return len(self.starts)

    def before(self, offsets: Sequence[int]) -> Counts:
        """Return the number of tokens that begin before each offset; at the end of the text it is all of them."""
        positions = np.asarray(offsets, dtype=np.int64)
        # A token may begin after the last character's first byte: no later offset could count it.
        return np.where(positions >= self.length, len(self.starts), np.searchsorted(self.starts, positions))

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that begin in ``[start, end)``."""
        first, last = self.before((start, end)).tolist()
        return int(last - first)


@lru_cache(maxsize=2)
def tokenise(text: str, tokenizer: TokenizerName = "cl100k") -> Tokenised:
    """Return where the tokens of a text begin; the last two results are kept, as chunkers ask for them in turn.

    Parameters
    ----------
    text : str
    tokenizer : {"cl100k", "minilm"}
        "cl100k": cl100k_base; "minilm": the wordpieces of the default embedder,
        all-MiniLM-L6-v2, without its special tokens, uncut.

    Raises
    ------
    SpecError
        The tokenizer is unknown.
    MissingExtraError
        The tokenizer "minilm" is not installed.
    DataError
        Its vocabulary file cannot be read or is not the expected one.
    """
    if tokenizer not in TOKENIZERS:
        raise SpecError(f"There is no tokenizer {tokenizer!r}.", hint=did_you_mean(tokenizer, TOKENIZERS))
    starts = TOKENIZERS[tokenizer](text)
    starts.setflags(write=False)
    return Tokenised(len(text), starts)


def _cl100k_starts(text: str) -> Counts:
    return tokens.token_starts(text)


def _minilm_starts(text: str) -> Counts:
    encoding = _minilm().encode(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text), add_special_tokens=False)
    return np.fromiter((start for start, _ in encoding.offsets), dtype=np.int64, count=len(encoding))


@cache
def _minilm() -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("The tokenizer 'minilm' needs the library tokenizers.", extra=_EXTRA) from error
    tokenizer = Tokenizer.from_str(_vocabulary())
    # The file asks for the embedder's window; sizes are counted on whole documents.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _vocabulary() -> str:
    path = MINILM_TOKENIZER.path("The tokenizer 'minilm'")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"Cannot read the tokenizer {path}: {(error.strerror or str(error)).lower()}.",
            hint=MINILM_TOKENIZER.reinstall,
        ) from error
    if hashlib.sha256(data).hexdigest() != MINILM_TOKENIZER.sha256:
        raise DataError(
            f"{path} is not the tokenizer of all-MiniLM-L6-v2: its sha256 differs.", hint=MINILM_TOKENIZER.reinstall
        )
    return data.decode()


TOKENIZERS: Final[Mapping[str, Callable[[str], Counts]]] = MappingProxyType(
    {"cl100k": _cl100k_starts, "minilm": _minilm_starts}
)
"""By name, the function that gives the offsets, in characters, at which a text's tokens begin."""
