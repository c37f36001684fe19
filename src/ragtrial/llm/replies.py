"""Replies that were paid for, kept for all trials of a user.

Keys: ``m`` + 16 bytes of the sha256 of a model's identity hold that identity; ``r`` + those 16 bytes + the sha256 of
the canonical JSON of identity and request hold a reply, as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from ragtrial.llm.base import Identity, Request
from ragtrial.storage.canonical import canonical_json
from ragtrial.storage.database import Database, beginning

__all__ = ["ReplyCache", "open_replies", "reply_key"]

_MODEL: Final = b"m"
_REPLY: Final = b"r"
_ID_BYTES: Final = 16
_DAMAGED: Final = "Remove the folder if it is damaged: what is missing is asked, and paid, again."


def reply_key(identity: Identity, request: Request) -> str:
    """Return the key of a reply in hexadecimal: it names everything that the reply depends on."""
    whole = canonical_json({"identity": identity, "request": asdict(request)})
    return (_model_id(identity) + hashlib.sha256(_encoded(whole)).digest()).hex()


def _model_id(identity: Identity) -> bytes:
    return hashlib.sha256(_encoded(canonical_json(identity))).digest()[:_ID_BYTES]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class ReplyCache:
    """Replies by key, whole or not at all; open one with `open_replies`. Threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        """Open ``folder/replies``; see `ragtrial.storage.database.Database`."""
        full = "Free some space: a reply that cannot be kept is paid again."
        self.database = Database(folder / "replies", damaged=_DAMAGED, full=full, extra="openai")

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what was kept under a key."""
        value = self.database.read(lambda txn: txn.get(_REPLY + bytes.fromhex(key)))
        return None if value is None else self.database.parsed(value)

    def put(self, identity: Identity, key: str, kept: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a reply, unless there is one; return the one that is there. Then it is on the disk."""
        name, value = _REPLY + bytes.fromhex(key), json.dumps(kept, separators=(",", ":")).encode("ascii")
        about = _encoded(canonical_json(identity))
        there = value

        def write(txn: Any) -> None:
            nonlocal there
            txn.put(_MODEL + _model_id(identity), about, overwrite=False)
            there = value if txn.put(name, value, overwrite=False) else txn.get(name)

        self.database.write(write)
        return self.database.parsed(there)

    def __len__(self) -> int:
        return self.database.read(lambda txn: sum(1 for _ in beginning(txn, _REPLY)))


@cache
def _opened(folder: Path) -> ReplyCache:
    return ReplyCache(folder)


def open_replies(folder: Path) -> ReplyCache:
    """Return this process's one cache of replies below a folder, ``folder/replies``; it is made if there is none."""
    return _opened(folder.resolve())
