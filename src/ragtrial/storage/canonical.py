"""One spelling for every value, so that equal things have equal hashes."""

from __future__ import annotations

import json

__all__ = ["canonical_json"]


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys and no blanks; what JSON does not know, NaN too, raises an error."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
