"""The rows of an estimate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["CallRow", "EmbeddingRow", "Estimate", "GrowthRow", "SizeRow"]


@dataclass(frozen=True)
class CallRow:
    """The calls of one step of an arm, that are not kept and that no arm before it pays for.

    Tokens are cl100k_base tokens of the messages. ``input_tokens`` and ``output_tokens`` take earlier replies of usual
    length, those with ``most_`` replies of the greatest length; prices are dollars, None where no price is known;
    ``minutes`` is None where no rate is known. ``kept`` calls were paid before, ``shared`` ones are another call's.
    """

    arm: str
    step: str
    model: str
    calls: int
    kept: int
    shared: int
    input_tokens: int
    most_input_tokens: int
    output_tokens: int
    most_output_tokens: int
    dollars: float | None
    most_dollars: float | None
    minutes: float | None


@dataclass(frozen=True)
class SizeRow:
    """The documents of one range of lengths: mean tokens of a document, and of the input of its calls."""

    documents: int
    document_tokens: float
    input_tokens: float


@dataclass(frozen=True)
class GrowthRow:
    """How an arm's input grows with the length of a document.

    ``exponent`` is the slope of log input on log length over documents: 1 is linear, 2 quadratic; None if it cannot be
    told. ``sizes`` are means over documents of doubling length.
    """

    arm: str
    exponent: float | None
    sizes: tuple[SizeRow, ...]


@dataclass(frozen=True)
class EmbeddingRow:
    """The texts and questions that a model has yet to embed; ``minutes`` is None where no rate is known."""

    model: str
    arms: tuple[str, ...]
    texts: int
    characters: int
    minutes: float | None


@dataclass(frozen=True)
class Estimate:
    """All that is said before a run; ``notes`` are sentences on what the numbers leave open."""

    calls: tuple[CallRow, ...]
    growth: tuple[GrowthRow, ...]
    embeddings: tuple[EmbeddingRow, ...]
    cap: float | None
    notes: tuple[str, ...]

    @property
    def dollars(self) -> float | None:
        """What all calls cost; None if a price is not known."""
        return _sum(row.dollars for row in self.calls)

    @property
    def most_dollars(self) -> float | None:
        """The same with the longest replies."""
        return _sum(row.most_dollars for row in self.calls)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate JSON-ready."""
        return asdict(self) | {"dollars": self.dollars, "most_dollars": self.most_dollars}


def _sum(values: Iterable[float | None]) -> float | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None
