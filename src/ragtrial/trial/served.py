"""What a record says of the language models behind a trial."""

from __future__ import annotations

from typing import Any

from ragtrial.llm.model import KeptModel

__all__ = ["served_row"]


def served_row(model: KeptModel) -> dict[str, Any]:
    """Return the names and fingerprints under which a server answered in this process, and Ollama's digest.

    Without their counts, which depend on what was kept: a run that was stopped has the same row as one that was not.
    """
    served = model.served()
    return {"models": sorted(served.models), "fingerprints": sorted(served.fingerprints), "digest": served.digest}
