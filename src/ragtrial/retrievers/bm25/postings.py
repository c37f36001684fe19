"""Which chunk holds which word how often: words in, columns out, for any number of pools at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import numpy.typing as npt

from ragtrial.retrievers.ranking import IntArray, offsets_of

__all__ = ["Postings", "count_words"]


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The counted words of chunks that stand pool after pool.

    A *term* is one word of one pool. Terms are numbered pool after pool, inside a pool in the order in which their
    words first occur, so that sums over a pool's vocabulary add up in the order of the text. A *posting* is a term in
    a chunk; postings stand term after term, inside a term in chunk order.
    """

    pool_chunks: IntArray
    """Offsets: pool p has the chunks ``pool_chunks[p]:pool_chunks[p + 1]``."""
    pool_terms: IntArray
    """Offsets: pool p has the terms ``pool_terms[p]:pool_terms[p + 1]``."""
    vocabularies: tuple[dict[str, int], ...]
    """For each pool, word to term."""
    lengths: npt.NDArray[np.int32]
    """For each chunk, its number of words."""
    offsets: IntArray
    """Offsets: term t has the postings ``offsets[t]:offsets[t + 1]``."""
    chunks: npt.NDArray[np.int32]
    """For each posting, its chunk."""
    counts: npt.NDArray[np.int32]
    """For each posting, how often the term occurs in the chunk."""


def count_words(word_lists: Iterable[Sequence[str]], pool_sizes: Sequence[int]) -> Postings:
    """Count the words of chunks that come pool after pool.

    ``word_lists`` yields the words of each chunk in turn, and is read once: it may be a generator.
    ``pool_sizes`` gives the number of chunks of each pool, in the same order.
    """
    vocabularies, terms, lengths = _numbered(word_lists, pool_sizes)
    # Sorting (term, chunk) packed into one integer brings equal words of one chunk together.
    shift = len(lengths).bit_length()
    keys = terms.astype(np.int64) << shift
    keys |= np.repeat(np.arange(len(lengths)), lengths)
    keys.sort()
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    counts = np.diff(first, append=len(keys)).astype(np.int32)
    keys = keys[first]
    pool_terms = offsets_of([len(vocabulary) for vocabulary in vocabularies])
    return Postings(
        pool_chunks=offsets_of(pool_sizes),
        pool_terms=pool_terms,
        vocabularies=vocabularies,
        lengths=lengths,
        offsets=offsets_of(np.bincount(keys >> shift, minlength=pool_terms[-1])),
        chunks=(keys & ((1 << shift) - 1)).astype(np.int32),
        counts=counts,
    )


def _numbered(
    word_lists: Iterable[Sequence[str]], pool_sizes: Sequence[int]
) -> tuple[tuple[dict[str, int], ...], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the vocabularies, the term of every running word, and the number of words of every chunk."""
    numbers = count()
    pieces = [np.empty(0, dtype=np.int32)]
    vocabularies: list[dict[str, int]] = []
    remaining = iter(word_lists)
    for size in pool_sizes:
        vocabulary: defaultdict[str, int] = defaultdict(numbers.__next__)
        number = vocabulary.__getitem__
        pieces += (np.fromiter(map(number, words), np.int32, len(words)) for words in islice(remaining, size))
        vocabulary.default_factory = None  # from here on, an unknown word is unknown
        vocabularies.append(vocabulary)
    lengths = np.array([len(piece) for piece in pieces[1:]], dtype=np.int32)
    return tuple(vocabularies), np.concatenate(pieces), lengths
