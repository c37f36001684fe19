"""The topic of an article, by its categories.

The paper names six buckets and the order in which they are tried, but not their keywords; these are ours *(choice)*. A
keyword is a whole word of a category, or the start of one where it ends with ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["BUCKETS", "OTHER", "topic"]

OTHER = "other"

BUCKETS: dict[str, tuple[str, ...]] = {
    "history/war": (
        *("war", "wars", "warfare", "battle", "battles", "military", "army", "naval", "navy", "warships", "history"),
        *("historical", "revolution*", "siege*", "dynast*", "empire", "empires", "rebellion*", "conflicts", "ancient"),
        *("medieval", "regiments", "treaties", "century bc"),
    ),
    "biography": (
        *("births", "deaths", "people", "living people", "alumni", "politicians", "actors", "actresses", "writers"),
        *(
            "players",
            "monarchs",
            "presidents",
            "scientists",
            "philosophers",
            "novelists",
            "poets",
            "singers",
            "bishops",
        ),
    ),
    "science/nature": (
        *("science", "sciences", "physics", "chemistr*", "chemical*", "biolog*", "astronom*", "mathematic*", "medic*"),
        *("animals", "plants", "species", "birds", "mammals", "fish", "reptiles", "insects", "fungi", "dinosaurs"),
        *("planets", "elements", "geolog*", "ecology", "diseases", "disorders", "algorithms", "technology", "taxa"),
    ),
    "arts/media": (
        *("films", "film", "albums", "songs", "singles", "novels", "books", "music", "musical*", "television", "art"),
        *(
            "arts",
            "paintings",
            "plays",
            "poems",
            "literature",
            "video games",
            "comics",
            "operas",
            "theatre",
            "magazines",
        ),
    ),
    "geography/places": (
        *("countries", "cities", "towns", "villages", "states", "provinces", "islands", "rivers", "mountains", "lakes"),
        *("geography", "populated places", "capitals", "oceans", "seas", "continents", "regions", "parks", "roads"),
    ),
}
"""The keywords of each bucket, in the order in which the buckets are tried (METHODS section 7)."""

_HIDDEN = re.compile(
    r"articles|pages|wikipedia|wikidata|cs1|use (?:dmy|mdy|british|american)|webarchive|commons|good article|stub",
    re.IGNORECASE,
)
"""Categories of maintenance, which MediaWiki hides; a dump's article does not say which these are."""


def _expression(words: Iterable[str]) -> re.Pattern[str]:
    parts = (re.escape(word.removesuffix("*")) + (r"\w*" if word.endswith("*") else "") for word in words)
    return re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE)


_EXPRESSIONS = {bucket: _expression(words) for bucket, words in BUCKETS.items()}


def topic(categories: Iterable[str]) -> str:
    """Return the first bucket that a category matches, or "other"; categories of maintenance do not count."""
    shown = [category for category in categories if not _HIDDEN.search(category)]
    for bucket, expression in _EXPRESSIONS.items():
        if any(expression.search(category) for category in shown):
            return bucket
    return OTHER
