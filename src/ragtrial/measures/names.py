"""Measures by name: ``recall@512t`` <-> `Measure`.

By words, on the texts of chunks (METHODS section 5.1):

======================== ======================================================================
recall@512t              share of the evidence texts found within 512 tokens
recall@512t:max          the same for each annotator alone, then the maximum over annotators
recall@512t:ceiling      what a greedy oracle reaches with the same chunks and budget
precision@1024t          share of the distinct word 5-grams within 1,024 tokens that are gold
precision@1024t:ceiling  what a greedy oracle reaches with the same chunks and budget
recall@5, recall@5:max   share of the evidence texts found in the first 5 whole chunks
hit@5                    1 if any evidence text is found in the first 5 whole chunks, else 0
mrr@10                   1 / rank of the first relevant chunk among the first 10, else 0
======================== ======================================================================

By spans, on the places of chunks and evidence in the document (METHODS section 5.2):

======================== ======================================================================
coverage-ndcg@10         discounted newly covered share of the evidence, over a greedy ideal
span-recall@50           share of the evidence of which the first 50 chunks cover at least half
coverage@512t            share of the evidence covered by the whole chunks within 512 tokens
coverage@512t:cut        the same, with the part that fits of the next chunk
mrr                      1 / rank of the first relevant chunk of the whole ranking, else 0
span-mrr@10              the same among the first 10 chunks
ndcg@10                  binary nDCG of the relevant chunks among the first 10
======================== ======================================================================

By answers, which a fixed reader gives from the tokens that are left (METHODS section 5.3):

======================== ======================================================================
token-f1@512t            F1 of the answer's tokens, the maximum over reference answers
nuggets@1024t            share of the nuggets that a judge finds wholly stated in the answer
nuggets@1024t:partial    the same, where a nugget that is stated in part counts half
======================== ======================================================================

``mrr@10`` and ``mrr`` are two measures, each named as its study names it. To ``mrr@10`` a chunk is relevant if at least
half of its distinct word 5-grams are gold. To ``mrr``, ``span-mrr@10`` and ``ndcg@10`` it is if it covers at least half
of a gold span, or at least four fifths of it lie in one; a long chunk that holds a short span is relevant only there.

Budgets are cl100k_base tokens and end in ``t``; other cutoffs are chunks. ``recall@512t`` charges the chunk's own text,
``coverage@512t`` its prefix as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ragtrial.errors import SpecError, did_you_mean

__all__ = ["Kind", "Measure", "Unit", "Variant", "parse_measure"]

Kind: TypeAlias = Literal[
    "coverage",
    "coverage-ndcg",
    "hit",
    "mrr",
    "ndcg",
    "nuggets",
    "precision",
    "recall",
    "span-mrr",
    "span-recall",
    "token-f1",
]
Unit: TypeAlias = Literal["tokens", "chunks"]
Variant: TypeAlias = Literal["", "max", "ceiling", "cut", "partial"]

_ALLOWED: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "coverage": {"tokens": ("", "cut")},
    "coverage-ndcg": {"chunks": ("",)},
    "hit": {"chunks": ("",)},
    "mrr": {"chunks": ("",)},
    "ndcg": {"chunks": ("",)},
    "nuggets": {"tokens": ("", "partial")},
    "precision": {"tokens": ("", "ceiling")},
    "recall": {"tokens": ("", "max", "ceiling"), "chunks": ("", "max")},
    "span-mrr": {"chunks": ("",)},
    "span-recall": {"chunks": ("",)},
    "token-f1": {"tokens": ("",)},
}
_BY_SPANS: Final = frozenset({"coverage", "coverage-ndcg", "ndcg", "span-mrr", "span-recall"})
_BY_ANSWERS: Final = frozenset({"nuggets", "token-f1"})
_UNCUT: Final = "mrr"
"""The one name without a cutoff: ``span-mrr`` of the whole ranking."""
_EXAMPLES: Final = (
    *("coverage-ndcg@10", "coverage@512t", "hit@5", "mrr", "mrr@10", "ndcg@10", "precision@1024t", "recall@5"),
    *("nuggets@1024t", "recall@512t", "recall@512t:max", "span-mrr@10", "span-recall@50", "token-f1@512t"),
)
_NAME: Final = re.compile(r"([A-Za-z]+(?:-[A-Za-z0-9]+)*)@([1-9][0-9]{0,8})(t?)(?::([A-Za-z]+))?")


@dataclass(frozen=True, slots=True)
class Measure:
    """What is computed of one question's ranking.

    Parameters
    ----------
    kind : one of `Kind`
        "mrr" is by words, "span-mrr" by spans.
    cutoff : int
        Where the ranking is cut, at least 1; 0 for the "span-mrr" of the whole ranking, whose name is ``mrr``.
    unit : {"tokens", "chunks"}
        What the cutoff counts.
    variant : {"", "max", "ceiling", "cut", "partial"}
        "max": per annotator, then the maximum; "ceiling": of a greedy oracle's ranking instead of the given one; "cut":
        the chunk that does not fit into the budget is cut, not left out; "partial": what is stated in part counts half.

    Raises
    ------
    SpecError
        A combination that is not defined, with those that are.
    """

    kind: Kind
    cutoff: int
    unit: Unit
    variant: Variant = ""

    def __post_init__(self) -> None:
        if self.kind not in _ALLOWED:
            raise SpecError(f"There is no measure called {self.kind!r}.", hint=did_you_mean(self.kind, _ALLOWED))
        if self.cutoff < 1 and (self.kind, self.cutoff) != ("span-mrr", 0):
            raise SpecError(f"{self.kind} cannot be cut at {self.cutoff} {self.unit}.")
        units = _ALLOWED[self.kind]
        if self.unit not in units:
            (other,) = units
            right = f"{self.kind}@{self.cutoff}{'t' if other == 'tokens' else ''}"
            raise SpecError(f"{self.kind} is cut after {other}, not after {self.unit}.", hint=f"Write {right!r}.")
        variants = units[self.unit]
        if self.variant not in variants:
            known = [f"{self._plain_name}:{variant}" if variant else self._plain_name for variant in variants]
            raise SpecError(f"There is no measure called {self.name!r}.", hint=did_you_mean(self.name, known))

    @property
    def name(self) -> str:
        """The spelling that `parse_measure` reads."""
        return f"{self._plain_name}:{self.variant}" if self.variant else self._plain_name

    @property
    def needs_spans(self) -> bool:
        """Whether it is computed from the places of chunks and evidence in documents, by `score_spans`."""
        return self.kind in _BY_SPANS

    @property
    def needs_answers(self) -> bool:
        """Whether it is computed from the answers of a reader, by `ragtrial.trial.answers`."""
        return self.kind in _BY_ANSWERS

    @property
    def _plain_name(self) -> str:
        if not self.cutoff:
            return _UNCUT
        return f"{self.kind}@{self.cutoff}{'t' if self.unit == 'tokens' else ''}"

    def __str__(self) -> str:
        return self.name


def parse_measure(name: str) -> Measure:
    """Return the measure of a name, such as ``recall@512t``.

    Blanks around the name do not count; letters are lower-case. A name that is none raises `SpecError`, which says what
    was probably meant.
    """
    if name.strip() == _UNCUT:
        return Measure("span-mrr", 0, "chunks")
    match = _NAME.fullmatch(name.strip())
    if match is None:
        raise SpecError(
            f"{name!r} is not a measure: a name, '@' and a cutoff are needed, and a 't' where the cutoff is in tokens.",
            hint=did_you_mean(name.strip(), _EXAMPLES),
        )
    kind, cutoff, token, variant = match.groups()
    # Measure refuses what is not among the literals.
    return Measure(kind, int(cutoff), "tokens" if token else "chunks", variant or "")  # type: ignore[arg-type]
