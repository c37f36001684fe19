"""What a server says of the model behind a name: it may change while the name stays."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ragtrial.llm.options import SERVERS, ModelOptions

__all__ = ["Served", "ollama_digest"]

_SECONDS: Final = 2.0
_PORT: Final = ":11434/"


class Served(NamedTuple):
    """The names and the fingerprints that came with replies, each with how many; and Ollama's digest of the model."""

    models: Mapping[str, int]
    fingerprints: Mapping[str, int]
    digest: str | None

    @property
    def changes(self) -> int:
        """How many other builds than one answered: not 0 means that the model changed while it was used."""
        return max(0, len(self.fingerprints) - 1)


def ollama_digest(options: ModelOptions) -> str | None:
    """Return the digest of a model on a server that listens where Ollama does; None if there is none to get."""
    address = options.address
    if address != SERVERS["ollama"].url and _PORT not in address:
        return None
    try:
        with urllib.request.urlopen(f"{address.removesuffix('/v1')}/api/tags", timeout=_SECONDS) as answer:  # noqa: S310
            listed: Any = json.load(answer)
        names = {row["name"]: str(row["digest"]) for row in listed["models"]}
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return names.get(options.model) or names.get(f"{options.model}:latest")
