"""Whether a judge is to be believed: what it says of the accepted answers, and of another question's (METHODS 5.3)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

__all__ = ["HIGHEST_FALSE", "LEAST_HUMAN_KAPPA", "LEAST_TRUE", "Controls", "other_answers"]

LEAST_TRUE: Final = 0.85
"""The strict recall that accepted answers have to reach, as a mean over questions."""

HIGHEST_FALSE: Final = 0.05
"""The strict recall that other questions' answers may reach."""

LEAST_HUMAN_KAPPA: Final = 0.6
"""The agreement with people below which, or without which, what a judge says stays exploratory."""


@dataclass(frozen=True)
class Controls:
    """What the controls of a judge gave.

    ``accepted`` and ``other`` are mean strict recalls over ``questions``, None if there are too few; ``unreadable``
    counts the judgements of controls and of answers that no reply could be used for; ``human_kappa`` is what the user
    says of a human check.
    """

    accepted: float | None
    other: float | None
    questions: int
    unreadable: int
    human_kappa: float | None

    @property
    def faults(self) -> tuple[str, ...]:
        """Why rows on this judge's labels are exploratory; empty if they are not."""
        found = []
        if self.accepted is None or self.other is None:
            found.append("there are no two questions with nuggets and an accepted answer")
        elif self.accepted < LEAST_TRUE:
            found.append(f"accepted answers reach {self.accepted:.1%} of their nuggets, under {LEAST_TRUE:.0%}")
        if self.other is not None and self.other > HIGHEST_FALSE:
            found.append(f"another question's answers reach {self.other:.1%}, over {HIGHEST_FALSE:.0%}")
        if self.human_kappa is None:
            found.append("no agreement with people is known")
        elif self.human_kappa < LEAST_HUMAN_KAPPA:
            found.append(f"kappa with people is {self.human_kappa:.2f}, under {LEAST_HUMAN_KAPPA}")
        return tuple(found)

    def row(self) -> dict[str, Any]:
        """Return what the record holds."""
        return {**asdict(self), "faults": list(self.faults)}


def other_answers(clusters: Sequence[str], seed: int) -> list[int]:
    """Return for each question the number of another one, a seeded derangement.

    The other question is of another cluster (document) as far as there are enough: an answer on the same document may
    hold some of the nuggets after all. With a single question there is no other, and the list is empty.
    """
    count = len(clusters)
    if count < 2:
        return []
    draw = random.Random(seed)  # noqa: S311  # a published draw, not a secret
    sizes = Counter(clusters)
    names = sorted(sizes)
    draw.shuffle(names)
    rank = {name: number for number, name in enumerate(names)}
    order = list(range(count))
    draw.shuffle(order)
    order.sort(key=lambda number: rank[clusters[number]])
    # Clusters lie together now: a turn by the largest one's size leaves no question in its own, if that is possible.
    turn = max(sizes.values()) % count or 1
    found = [0] * count
    for place, number in enumerate(order):
        found[number] = order[(place + turn) % count]
    return found
