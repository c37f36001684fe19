"""What steps could not do for chunks, in words: a model whose replies cannot be read must not go unnoticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

__all__ = ["shortfalls"]

_CHUNKS: Final = "chunks"
_LACKS: Final[Mapping[str, str]] = {
    "without_fields": "{count:,} of {of:,} chunks have no generated fields, since no reply about them could be read.",
    "without_context": "{count:,} of {of:,} chunks have no generated note, since every reply about them was empty.",
    "failed_calls": "in {count:,} of the documents keys stay as they were, since no reply came or could be read.",
    "lacking_merges": "{count:,} of the merges of what it controls are lacking, since no two neighbours fit together.",
}
"""What the reports of steps count, and how it is said."""


def shortfalls(reports: Iterable[Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return a sentence for everything that steps could not do, step by step; none if all went well.

    Parameters
    ----------
    reports : iterable of sequences of mappings
        The ``reports`` of chunk sets that the same steps made, such as those of several batches; they are added up.
    """
    totals: dict[tuple[int, str], Counter[str]] = {}
    for own in reports:
        for place, report in enumerate(own):
            total = totals.setdefault((place, report["step"]), Counter())
            total.update({name: report[name] for name in (_CHUNKS, *_LACKS) if name in report})
    return [
        f"{step}: {words.format(count=total[name], of=total[_CHUNKS])}"
        for (_, step), total in totals.items()
        for name, words in _LACKS.items()
        if total[name]
    ]
