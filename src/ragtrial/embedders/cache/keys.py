"""The names of vectors: sha256 over canonical JSON of everything that a vector depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from ragtrial.embedders.base import Identity, Kind
from ragtrial.storage.canonical import canonical_json

__all__ = ["ID_BYTES", "model_id", "vector_keys"]

ID_BYTES = 16


def model_id(identity: Identity) -> bytes:
    """Return the first 16 bytes of the sha256 of a model's identity: vectors of one model stand together."""
    return hashlib.sha256(_encoded(canonical_json(identity))).digest()[:ID_BYTES]


def vector_keys(identity: Identity, kind: Kind, prefix: str, texts: Iterable[str]) -> list[bytes]:
    """Return the key of each text's vector: the model's id, then a sha256.

    The sha256 is that of the canonical JSON of ``{"identity", "kind", "prefix", "text"}``: the model
    with all parameters, what the text is used as, what was put before it, and the text.
    """
    # In canonical JSON the text comes last, so that everything before it is hashed once.
    head = canonical_json({"identity": identity, "kind": kind, "prefix": prefix})
    start = hashlib.sha256(_encoded(f'{head[:-1]},"text":'))
    model = model_id(identity)
    keys = []
    for text in texts:
        whole = start.copy()
        whole.update(_encoded(f"{json.dumps(text, ensure_ascii=False)}}}"))
        keys.append(model + whole.digest())
    return keys


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
