"""What a server said, as a message shows it."""

from __future__ import annotations

from typing import Final

from ragtrial.servers.keys import without_key

__all__ = ["shown_body"]

_SHOWN: Final = 300


def shown_body(body: str, key: str | None) -> str:
    """Return the start of an answer on one line and in quotes, with the key struck out."""
    words = " ".join(without_key(body, key).split())
    return repr(words if len(words) <= _SHOWN else f"{words[:_SHOWN]}...")
