"""What a reader's reply says: its answer, or that there is none (METHODS section 5.3)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["UNANSWERABLE", "answer_of"]

UNANSWERABLE: Final = "Unanswerable"
"""How references and answers say that the text does not answer the question."""

_LABEL: Final = re.compile(r"""\s*[*_`"]*answer[*_`"]*\s*[:：][*_`"]*""", re.IGNORECASE)

_CANNOT: Final = r"(?:cannot|can not|can't|could not|couldn't)"
_SOURCE: Final = r"(?:context|text|passage|excerpt|source|document|piece|paper|article|information)s?"
_TELLS: Final = r"(?:answer|contain|describe|discuss|give|have|include|mention|provide|say|specify|state|tell)"
_TOLD: Final = r"(?:available|described|discussed|found|given|mentioned|provided|specified|stated)"
# Each stands at the start of the answer; those that end in _END only where they are all that is said.
_END: Final = r"(?: (?:about|by|for|from|in|on|to)\b.*)?\W*$"
_IS: Final = r"(?:(?:it|this|(?:the|this|your) (?:question|answer)) is |it's )?"
_KNOWN: Final = "(?:answer|context|evidence|information)"
_REFUSALS: Final = (
    rf"{_IS}(?:unanswerable|not answerable)\b",
    rf"{_IS}not (?:\w+ly )?{_TOLD}{_END}",
    rf"(?:there is |there's )?(?:no|not enough|insufficient) (?:\w+ )?{_KNOWN}(?: is)?(?: {_TOLD})?{_END}",
    r"i (?:do not|don't) know\b",
    rf"i (?:{_CANNOT}|am unable to|'m unable to) (?:answer|determine|find|say|tell)\b",
    rf"(?:it|this|that|(?:the|this|your) (?:question|answer)) {_CANNOT} be (?:answered|determined|found|inferred)\b",
    rf"(?:based on|according to|from|in) the (?:\w+ )?{_SOURCE},? it (?:{_CANNOT} be|is not|isn't)\b",
    rf"(?:the|this|these|none of the) (?:\w+ ){{0,2}}{_SOURCE} (?:do|does|did)(?: not|n't) (?:\w+ly )?{_TELLS}\b",
)
_REFUSAL: Final = re.compile(rf"(?:(?:i'm )?sorry|unfortunately)?\W*(?:but )?(?:{'|'.join(_REFUSALS)})", re.IGNORECASE)


def answer_of(reply: str) -> str:
    """Return the answer that a reader's reply gives.

    A leading label "Answer:" is dropped, and everything after the first line that is not blank. A reply that declines
    to answer is "Unanswerable", whatever its words; an empty one stays empty, which no reference equals.
    """
    label = _LABEL.match(reply)
    lines = reply[label.end() if label else 0 :].splitlines()
    answer = next((line.strip() for line in lines if line.strip()), "")
    plain = " ".join(answer.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    return UNANSWERABLE if _REFUSAL.match(plain) else answer
