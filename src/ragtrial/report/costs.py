"""What a condition costs, as far as a record tells: tokens of its index, work of its models, and a reader's prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ragtrial.trial.record import Record

__all__ = ["UNKNOWN", "Condition", "Costs", "Prices", "query_work"]

Condition: TypeAlias = tuple[str, str]
"""The names of an arm, or of an average of arms, and of a retriever."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What the reader knows: dollars for a million embedded tokens, and what each arm's model calls cost once."""

    embedding: float | None = None
    calls: Mapping[str, float] | None = None


UNKNOWN = Prices()
"""No price is given."""


class Costs:
    """Costs of a record's conditions; those of an average are the mean over its arms."""

    def __init__(self, record: Record, prices: Prices = UNKNOWN) -> None:
        effective = record.header["effective"]
        self._prices = prices
        self._retrievers = effective["retrievers"]
        self._tokens = {arm["arm"]: arm["tokens"] + arm["added_tokens"] for arm in record.header["arms"]}
        self._members = {
            name: members
            for name, members in effective.get("averages", {}).items()
            if all(member in self._tokens for member in members)
        }

    def knows(self, arm: str) -> bool:
        """Tell whether an arm was built, or every arm of an average."""
        return arm in self._tokens or arm in self._members

    def tokens(self, arm: str) -> int:
        """Return how many tokens the index of an arm holds."""
        return round(self._mean(arm, self._tokens))

    def more_tokens(self, before: Condition, after: Condition) -> int:
        """Return how many tokens more the second holds; under another retriever, how many more that one embeds."""
        if before[1] == after[1]:
            return self.tokens(after[0]) - self.tokens(before[0])
        return self._embedded(after) - self._embedded(before)

    def dollars(self, before: Condition, after: Condition) -> float | None:
        """Return how many dollars more the second costs once; None where nothing is known of it."""
        embeds = any(self._embeds(retriever) for _, retriever in (before, after))
        price, calls = self._prices.embedding, self._prices.calls
        if calls is None and (price is None or not embeds):
            return None
        embedding = (self._embedded(after) - self._embedded(before)) * (price or 0.0) / 1e6
        return embedding + self._mean(after[0], calls or {}) - self._mean(before[0], calls or {})

    def burden(self, condition: Condition) -> tuple[int, int, int]:
        """Return what orders two conditions by cost: pairs to score, queries to embed, tokens to index."""
        pairs, queries = _counts(self._retrievers[condition[1]])
        return pairs, queries, self.tokens(condition[0])

    def _mean(self, arm: str, values: Mapping[str, float]) -> float:
        members = self._members.get(arm, (arm,))
        return sum(values.get(member, 0.0) for member in members) / len(members)

    def _embeds(self, retriever: str) -> bool:
        return _counts(self._retrievers[retriever])[1] > 0

    def _embedded(self, condition: Condition) -> int:
        return self.tokens(condition[0]) if self._embeds(condition[1]) else 0


def query_work(retriever: Mapping[str, Any]) -> str:
    """Return what a retriever's models do for 1,000 queries, read off its parameters."""
    pairs, queries = _counts(retriever)
    parts = [f"{1000 * queries:,} queries embedded"] if queries else []
    parts += [f"{1000 * pairs:,} pairs scored"] if pairs else []
    return ", ".join(parts) or "no model is called"


def _counts(retriever: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many pairs are scored and whether the query is embedded, for one query."""
    components = list(_components(retriever))
    pairs = sum(int(part["depth"]) for part in components if part["component"] == "rerank")
    return pairs, int(any(part["component"] in ("dense", "late") for part in components))


def _components(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if "component" in value:
            yield value
        for inner in value.values():
            yield from _components(inner)
