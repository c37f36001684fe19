"""Which words of a sentence say something: stop words, and words that are one but for their ending."""

from __future__ import annotations

from ragtrial.text.words import unicode_words

__all__ = ["content_words", "is_english", "stem"]

_STOP = frozenset(
    """a about above after again all also although an and any are as at be because been before being below between both
    but by can cannot could did do does doing done down during each either else etc even every few find first for from
    further get gets give given go had has have having he her here hers him his how however i if in instead into is it
    its itself just kind last lastly later let like likely made make makes many may maybe me might more most much must
    my need needed needs neither no none nor not now of off often on once one only or other others otherwise our ours
    out over own per perhaps please quite rather re really s same several shall she should simply since so some
    something still such t than that the their theirs them then there therefore these they thing things this those
    though through thus to too two under until up upon us use used uses using usually very via want wants was way ways
    we well were what when where whether which while who whom whose why will wish with within without would yet you
    your yours yourself
    additional allow allows available described detail detailed details discussed doc docs documentation example
    examples explained following guide information learn note page read refer reference section see topic""".split()  # noqa: SIM905  # a list of 200 quoted words reads worse
)
"""English words without a topic, and those that only point; other languages keep all their words."""

_FUNCTION = frozenset(
    "the of and to in is that for it as with on be are this by you your can may or from if when an which not".split()  # noqa: SIM905
)
_LEAST_ENGLISH = 0.15
_LEAST_STEM = 4


def content_words(text: str) -> list[str]:
    """Return the words of a text that say what it is about, stemmed; in order, with repeats."""
    return [stem(word) for word in unicode_words(text) if word not in _STOP and (len(word) > 1 or not word.isascii())]


def stem(word: str) -> str:
    """Return an English word without its usual ending, so that "queries" and "query" are one word."""
    if not word.isascii():
        return word
    for ending, put in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""), ("y", "y")):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM - 1:
            word = word[: len(word) - len(ending)] + put
            break
    return word[:-1] if word.endswith("e") and len(word) > _LEAST_STEM else word


def is_english(text: str) -> bool:
    """Tell whether a text is likely English: at least 15% of its words are English function words."""
    words = unicode_words(text)
    return sum(word in _FUNCTION for word in words) >= _LEAST_ENGLISH * max(len(words), 1) and bool(words)
