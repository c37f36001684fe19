"""What a record says of the language models behind a trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragtrial.llm.base import LanguageModel
from ragtrial.llm.model import KeptModel
from ragtrial.storage.canonical import canonical_json

__all__ = ["changes_of", "language_model_rows", "served_row"]


def served_row(model: KeptModel) -> dict[str, Any]:
    """Return the names and fingerprints under which a server answered in this process, and Ollama's digest.

    Without their counts, which depend on what was kept: a run that was stopped has the same row as one that was not.
    """
    served = model.served()
    return {"models": sorted(served.models), "fingerprints": sorted(served.fingerprints), "digest": served.digest}


def language_model_rows(models: Iterable[LanguageModel]) -> list[dict[str, Any]]:
    """Return what the record says of the models that arms were made with: who they are, and how they answered.

    Models that differ only in what no reply depends on, such as the window, are one row.
    """
    rows: dict[str, dict[str, Any]] = {}
    for model in models:
        if isinstance(model, KeptModel):
            identity, found = dict(model.identity()), served_row(model)
            served = rows.setdefault(canonical_json(identity), identity | {"served": found})["served"]
            for name in ("models", "fingerprints"):
                served[name] = sorted({*served[name], *found[name]})
    return list(rows.values())


def changes_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each model of which more than one build answered: it changed while it was used."""
    for row in rows:
        if (builds := len(row["served"]["fingerprints"])) > 1:
            yield f"The model {row['model']!r} changed while arms were made with it: {builds} builds answered."
