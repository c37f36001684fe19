"""Cutting a ranking at a token budget that prefixes are charged to (METHODS section 5.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragtrial.measures.intervals import Intervals, merged
from ragtrial.measures.spans import SpanTable
from ragtrial.text import tokens

__all__ = ["SpanSelection", "fill_spans", "kept_spans", "token_bounds"]


class SpanSelection(NamedTuple):
    """What a budget leaves of a ranking: its first ``whole`` chunks, and the tokens left for the next one's content."""

    whole: int
    left: int


def fill_spans(ranking: npt.NDArray[np.int64], table: SpanTable, budgets: Sequence[int]) -> list[SpanSelection]:
    """Fill token budgets with one walk down a ranking, which stops before the first chunk that does not fit.

    Parameters
    ----------
    ranking : int64 array
        Chunk numbers, best first; no more of them are looked at than fit.
    table : SpanTable
        A chunk costs the tokens of its content and of what stands before it and behind it.
    budgets : sequence of int
        In tokens, ascending.

    Returns
    -------
    list of SpanSelection
        One for each budget. ``left`` is what remains for the content of the chunk that does not fit, once its prefix is
        paid, which may be for all of it but not for its suffix; 0 if the prefix alone is too much, or if every chunk
        fits.
    """
    selections: list[SpanSelection] = []
    used = 0
    # Not as a list: a ranking may be the whole corpus, of which a budget takes a few dozen chunks.
    for rank, number in enumerate(map(int, ranking)):
        if len(selections) == len(budgets):
            return selections
        cost = table.tokens(number)
        while len(selections) < len(budgets) and budgets[len(selections)] < used + cost:
            left = budgets[len(selections)] - used - int(table.prefix_tokens[number])
            selections.append(SpanSelection(rank, max(0, left)))
        used += cost
    return selections + [SpanSelection(len(ranking), 0)] * (len(budgets) - len(selections))


def kept_spans(table: SpanTable, number: int, kept: int) -> Intervals:
    """Return the characters of the first ``kept`` tokens of a chunk's content; of all if it has no more than those."""
    bounds = table.token_bounds(number)
    left = int(bounds[min(kept, len(bounds) - 1)])
    spans: list[tuple[int, int]] = []
    for start, end in table.spans(number):
        spans.append((start, min(end, start + left)))
        left = max(0, left - (end - start))
    return merged(spans)


def token_bounds(parts: Sequence[str], joiner: str | None = None) -> npt.NDArray[np.int64]:
    """Return where the cl100k_base tokens of a chunk's text begin in its source, for `SpanTable`.

    Parameters
    ----------
    parts : sequence of str
        The slices of the source that the chunk is made of, as they stand there.
    joiner : str or None
        None: there is one part, and it is the text. Else the text is the parts with CRLF and CR as LF, and this between
        them.

    Returns
    -------
    int64 array, shape (tokens + 1,)
        In characters of the parts laid one after another, never decreasing; then the number of those characters. A
        token that begins in a joiner begins where the next part does.
    """
    total = sum(map(len, parts))
    if joiner is None:
        (text,) = parts
        return np.array([*tokens.token_offsets(text, tokens.encode(text)), total], dtype=np.int64)
    text = joiner.join(part.replace("\r\n", "\n").replace("\r", "\n") for part in parts)
    places = _source_places(parts, len(joiner), total)
    return places[[*tokens.token_offsets(text, tokens.encode(text)), len(text)]]


def _source_places(parts: Sequence[str], between: int, total: int) -> npt.NDArray[np.int64]:
    """Return where each character of the joined text stands in the parts laid one after another, and their end."""
    places: list[npt.NDArray[np.int64]] = []
    base = 0
    for part in parts:
        own = np.arange(base, base + len(part), dtype=np.int64)
        if "\r\n" in part:
            own = np.delete(own, [found.end() - 1 for found in re.finditer("\r\n", part)])
        base += len(part)
        places += [own, np.full(between, base, dtype=np.int64)]
    return np.concatenate([*places[:-1], np.array([total], dtype=np.int64)])
