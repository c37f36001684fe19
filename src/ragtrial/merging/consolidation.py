"""Keys made one after the fact: a call per document maps each key to a canonical one of the same list (MDK's M-TP).

Source: METHODS section 2.2, ``by-consolidated-key``; MDK section 4.6 (H7), after TopicGPT (Pham et al. 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ragtrial.errors import ModelCallError
from ragtrial.llm.base import LanguageModel, Purpose, Request
from ragtrial.llm.json_reply import SEEDS, ask_object
from ragtrial.llm.prompt import Prompt

__all__ = ["PLACES", "Consolidated", "Consolidator"]

PLACES: Final = ("keys",)

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "labels": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"label": {"type": "string"}, "becomes": {"type": "string"}},
                "required": ["label", "becomes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["labels"],
    "additionalProperties": False,
}


class Consolidated(NamedTuple):
    """The canonical key of every key of a document, and whether the call failed, so that all are unchanged."""

    canonical: Mapping[str, str]
    failed: bool


@dataclass(frozen=True)
class Consolidator:
    """Asks which keys of a document mean the same.

    ``max_tokens`` is the most tokens of a reply; an unreadable one is asked for again with the next three seeds.
    """

    model: LanguageModel
    prompt: Prompt
    max_tokens: int
    seed: int

    def consolidate(self, document: str, keys: Sequence[str]) -> Consolidated:
        """Return the canonical keys of a document's distinct keys; of fewer than two nothing is asked.

        A call that brings no reply leaves all keys as they are, as an unreadable reply does (METHODS section 2.2).
        """
        unchanged = {key: key for key in keys}
        if len(keys) < 2:
            return Consolidated(unchanged, failed=False)
        system, user = self.prompt.fill({"keys": "\n".join(f"- {key}" for key in keys)})
        try:
            asked = ask_object(
                self.model,
                Request(system, user, self.max_tokens, _SCHEMA),
                Purpose("consolidation", document),
                lambda reply: _mapping(reply, unchanged),
                [self.seed + number for number in SEEDS],
            )
        except ModelCallError:
            return Consolidated(unchanged, failed=True)
        return Consolidated(unchanged | (asked.value or {}), asked.value is None)


def _mapping(reply: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str] | None:
    """Return what the reply says of known keys; to become one that is not known counts as not said."""
    rows = reply.get("labels")
    if not isinstance(rows, list):
        return None
    pairs = [
        (row["label"].strip().lower(), row["becomes"].strip().lower())
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("label"), str) and isinstance(row.get("becomes"), str)
    ]
    return {label: target for label, target in pairs if label in known and target in known}
