"""What the reader is given: the source text of the ranked chunks, exactly as many tokens as the budget has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragtrial.text import tokens

__all__ = ["fill_pieces", "numbered"]


def fill_pieces(texts: Iterable[str], budget: int) -> tuple[list[str], int]:
    """Return the chunks that fit into a budget, the last one cut, and how many tokens they have.

    Parameters
    ----------
    texts : iterable of str
        The ranked chunks' own texts, best first; read only as far as the budget goes.
    budget : int
        In cl100k_base tokens of the texts.

    Returns
    -------
    list of str, int
        The pieces, none empty; the tokens are fewer than the budget only where the texts are.

    Notes
    -----
    The walk is that of ``recall@512t`` (METHODS section 5.1). A cut is at a token boundary; a character that the
    boundary divides belongs to the token that holds its first byte, so that a piece is a part of its chunk.
    """
    pieces: list[str] = []
    used = 0
    for text in texts:
        ids = tokens.encode(text)
        if len(ids) > budget - used:
            text = text[: tokens.token_offsets(text, ids)[budget - used]]  # noqa: PLW2901  # what is left of it
            ids = ids[: budget - used]
        used += len(ids)
        if text:
            pieces.append(text)
        if used == budget:
            break
    return pieces, used


def numbered(pieces: Sequence[str]) -> str:
    """Return pieces with their numbers before them, ``[1]`` and so on; the numbers count for no budget."""
    return "\n\n".join(f"[{number}]\n{piece}" for number, piece in enumerate(pieces, start=1))
