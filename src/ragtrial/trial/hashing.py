"""Identities: sha256 over canonical JSON, so that the same things always have the same name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from ragtrial.documents.model import Document

__all__ = ["canonical_json", "documents_sha256", "sha256"]


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys and no blanks; values that JSON does not know, NaN too, raise an error."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(value: object) -> str:
    """Return the sha256 of a value's canonical JSON in hexadecimal; lone surrogates are hashed as they are."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()


def documents_sha256(documents: Iterable[Document]) -> str:
    """Return one sha256 over the ids, texts and dialects of a corpus, in order."""
    total = hashlib.sha256()
    for document in documents:
        for part in (document.id, document.text, document.dialect or ""):
            data = part.encode("utf-8", "surrogatepass")
            total.update(len(data).to_bytes(8, "little"))
            total.update(data)
    return total.hexdigest()
