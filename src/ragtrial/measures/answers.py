"""An answer's score: token F1 against reference answers, and recall of nuggets from a judge's labels (METHODS 5.3)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal, TypeAlias, get_args

from ragtrial.errors import UsageError

__all__ = ["LABELS", "NuggetLabel", "nugget_recall", "squad_tokens", "token_f1"]

NuggetLabel: TypeAlias = Literal["support", "partial_support", "no_support"]

LABELS: Final[tuple[NuggetLabel, ...]] = get_args(NuggetLabel)
"""What a judge may say of a nugget."""

_CREDIT: Final[dict[str, float]] = {"support": 1.0, "partial_support": 0.5, "no_support": 0.0}
_WITHOUT_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")


def squad_tokens(text: str) -> list[str]:
    """Return the tokens of an answer after SQuAD's normalisation.

    Lower case; ASCII punctuation is deleted, so that ``LSTM-based`` is one token; the words a, an and the are dropped;
    what is left is split at white space. Source: the official QASPER evaluator (Dasigi et al. 2021).
    """
    return _ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split()


def token_f1(answer: str, references: Iterable[str]) -> float:
    """Return the F1 of an answer's bag of tokens, the maximum over reference answers.

    Parameters
    ----------
    answer : str
    references : iterable of str
        One an annotator; there must be one at least.

    Returns
    -------
    float between 0 and 1
        0 where no token is shared, as with two empty texts.

    Raises
    ------
    UsageError
        There is no reference.
    """
    given = Counter(squad_tokens(answer))
    values = [_f1(given, Counter(squad_tokens(reference))) for reference in references]
    if not values:
        raise UsageError("An answer cannot be scored without a reference answer.")
    return max(values)


def nugget_recall(labels: Sequence[str], *, partial: bool = False) -> float:
    """Return the share of nuggets that an answer supports.

    Parameters
    ----------
    labels : sequence of {"support", "partial_support", "no_support"}
        One a nugget; there must be one at least.
    partial : bool
        False: strict, only "support" counts; True: "partial_support" counts half.

    Raises
    ------
    UsageError
        There is no label, or one that is none.
    """
    if not labels or (unknown := _unknown(labels)):
        what = f"unknown labels: {', '.join(map(repr, unknown))}" if labels else "no labels"
        raise UsageError(f"A recall of nuggets cannot be made from {what}.", hint=f"Labels are {', '.join(LABELS)}.")
    if not partial:
        return sum(label == "support" for label in labels) / len(labels)
    return sum(_CREDIT[label] for label in labels) / len(labels)


def _unknown(labels: Collection[str]) -> list[str]:
    return sorted({label for label in labels if label not in _CREDIT})


def _f1(given: Counter[str], wanted: Counter[str]) -> float:
    shared = (given & wanted).total()
    if not shared:
        return 0.0
    precision, recall = shared / given.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)
