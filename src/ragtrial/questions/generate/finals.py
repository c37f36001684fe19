"""From drafts to the questions that are used: repeats go, types are balanced, and the funnel counts the losses."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ragtrial.questions.generate.ask import Drafted
from ragtrial.questions.generate.targets import TYPES

__all__ = ["FUNNEL", "Finals", "choose_finals"]

FUNNEL: Final = (
    "targets",
    "questions written",
    "passed the first filter",
    "reworded",
    "passed the second filter",
    "distinct",
    "finals",
)
"""The stages of the funnel, each with no more questions than the one before."""

_PASSED: Final = {"writing": 1, "first filter": 2, "rewording": 3, "second filter": 4, "kept": 5}


class Finals(NamedTuple):
    """The questions that are used, in the order of their documents, and the counts.

    ``funnel`` has for each type the counts of `FUNNEL`; ``rejected`` how many each filter rejected for which reason.
    """

    drafts: tuple[Drafted, ...]
    funnel: dict[str, dict[str, int]]
    rejected: dict[str, int]


def choose_finals(drafts: Sequence[Drafted], *, most: int = 250, seed: int = 0) -> Finals:
    """Choose at most ``most`` questions of each type by a seeded draw.

    Of questions with the same words the first one counts.

    Source: METHODS section 7 (KMR: at most 250 of each of four types).
    """
    distinct = _distinct(drafts)
    finals: list[Drafted] = []
    funnel: dict[str, dict[str, int]] = {}
    for kind in TYPES:
        left = [number for number, draft in enumerate(distinct) if draft.target.type == kind]
        draw = random.Random(seed)  # noqa: S311  # a published sample, not a secret
        chosen = sorted(draw.sample(left, most)) if len(left) > most else left
        finals += [distinct[number] for number in chosen]
        reached = [_PASSED[draft.ended] for draft in drafts if draft.target.type == kind]
        counts = [sum(stages >= stage for stages in reached) for stage in range(1, 6)]
        funnel[kind] = dict(zip(FUNNEL, [*counts, len(left), len(chosen)], strict=True))
    places = {draft.target.id: number for number, draft in enumerate(drafts)}
    return Finals(tuple(sorted(finals, key=lambda draft: places[draft.target.id])), funnel, _rejected(drafts))


def _distinct(drafts: Iterable[Drafted]) -> list[Drafted]:
    first: dict[str, Drafted] = {}
    for draft in drafts:
        if draft.ended == "kept":
            first.setdefault(draft.question.casefold(), draft)
    return list(first.values())


def _rejected(drafts: Iterable[Drafted]) -> dict[str, int]:
    counts = {f"{stage}: {leak}": 0 for stage in ("first filter", "second filter") for leak in ("gram", "rouge")}
    for draft in drafts:
        if draft.leak:
            counts[f"{draft.ended}: {draft.leak}"] += 1
    return counts
