"""The rolling dictionary of keys: what the model is shown of the subtopics that a document had so far.

Source: METHODS section 3.2; MDK appendix N.2.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["MOST_KEYS", "RollingKeys"]

MOST_KEYS: Final = 40
"""The keys that the dictionary holds at most."""


class _Seen(NamedTuple):
    """Where a key was first and last given, and how often."""

    first: int
    last: int
    times: int


class RollingKeys:
    """The keys of a document in the order in which they were first given.

    When there are more than `MOST_KEYS`, those that were given longest ago go, and the others are put in the order of
    recency, the most recent first.
    """

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._seen

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, key: str, position: int) -> None:
        """Note that the chunk at a position has a key; "" is none."""
        if not key:
            return
        known = self._seen.get(key)
        self._seen[key] = _Seen(known.first, position, known.times + 1) if known else _Seen(position, position, 1)
        if len(self._seen) > MOST_KEYS:
            recent = sorted(self._seen.items(), key=lambda item: -item[1].last)
            self._seen = dict(recent[:MOST_KEYS])

    def lines(self) -> str:
        """Return the keys as the model sees them, one a line with how often it was given; "" for none."""
        return "\n".join(f"- {key} (seen {seen.times}x)" for key, seen in self._seen.items())
