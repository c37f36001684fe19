"""A sentence with a link to the question that it asks: what points goes, what is asked for stays."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragtrial.documents.parts import Link
from ragtrial.questions.links.words import content_words

__all__ = ["Query", "make_query"]

_HERE = "\ue000"
_SAME = "\ue001"
_VERB = (
    r"(?:see|refer(?:\s+back)?\s+to|check(?:ing)?\s+out|consult(?:ing)?|review(?:ing)?|visit|(?:take|have)\s+a\s+(?:\w+\s+)?look\s+at|look\s+at"
    r"|go\s+to|(?:jump|skip)\s+(?:\w+\s+)?to|find\s+out\s+more\s+(?:about|in)|explore|read(?:ing)?(?:\s+(?:through|over|about|more\s+(?:about|on|in)))?|learn\s+more\s+(?:about|in)"
    r"|(?:is|are)\s+(?:described|explained|discussed|documented|covered|outlined)(?:\s+\w+)?\s+in"
    r"|(?:as\s+)?(?:described|explained|discussed|documented|covered|outlined)(?:\s+\w+)?\s+in"
    r"|(?:can|may|could)\s+be\s+found\s+(?:in|on|at)|(?:is|are)\s+found\s+(?:in|on|at))"
)
_BEFORE_VERB = (
    r"(?:(?:please|you\s+(?:may|can|should|could|might)|(?:may|can)|be\s+sure\s+to|make\s+sure\s+to|feel\s+free\s+to|wish\s+to"
    r"|want\s+to|also|always|then|we\s+(?:recommend|suggest)(?:\s+that\s+you)?|you\s+may\s+benefit\s+from)\s+)*"
)
_NOUN = r"(?:documentation|docs?|guides?|sections?|pages?|chapters?|tutorials?|topics?|articles?|references?|here)"
# ", please check out the <link> documentation": everything from the comma to the noun goes.
_POINTER = re.compile(
    rf"[\s,;:(\u2013\u2014-]*\b(?:and\s+|but\s+|so\s+)?{_BEFORE_VERB}{_VERB}\b"
    rf"(?:(?!,\s*{_BEFORE_VERB}{_VERB}\b)[^.;:!?])*?{_HERE}[\"'\u201d)]*"
    rf"(?:\s+{_NOUN})?(?:\s+(?:(?:of|in)\s+(?:this|the|our)\s+(?:[\w.-]+\s+){{0,2}}?{_NOUN}|below|above))?",
    re.IGNORECASE,
)
# Seeing something is not being sent there.
_SEEING = re.compile(
    r"\b(?:as\s+(?:you|we)\s+(?:can|may|might|could)|able\s+to|will|would|you'll|you|we)\s+(?:(?:also|now|then)\s+)?see\b"
    r"|\bsee\s+(?:that|if|whether)\b",
    re.IGNORECASE,
)
# The link's own text points: "(described below)", "check out its documentation".
_POINTING_TEXT = re.compile(
    rf"(?:as\s+)?(?:{_BEFORE_VERB}{_VERB}|(?:described|explained|discussed|documented|covered|(?:can|may)\s+be\s+found))\b"
    rf"(?:\s+[\w']+){{0,3}}?\s+(?:below|here|later|{_NOUN})",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"\b(?:(?:for|find|get)\s+)?(?:more|further|additional|detailed|full|complete)\s+(?:(?:in[- ]depth|detailed)\s+)?"
    r"(?:information|details?|examples?|documentation|explanations?)\b(?:\s+(?:on|about|regarding|of))?"
    r"|\bto\s+learn\s+(?:more\s+)?(?:about)?\b|\bfor\s+(?:an?\s+|some\s+)?(?:details|examples?|tutorial|description|background|overview|discussion|instructions)\b"
    r"(?:\s+(?:on|about|of)\b)?"
    r"|\bif\s+you\s+(?:would|want)\s+(?:like\s+)?to\s+(?:learn|know|read)\s+more(?:\s+about)?",
    re.IGNORECASE,
)
_NOUNS_OF_DOCS = re.compile(rf"^(?:the|our|its|this)\s+|\s+{_NOUN}$", re.IGNORECASE)
_LABEL = re.compile(r"^(?:TIP|HELPFUL|NOTE|IMPORTANT|CRITICAL|WARNING|QUESTION|Note|Tip|Important)\s*:\s*")
_OPENING = re.compile(
    r"^(?:(?:however|instead(?!\s+of)|therefore|thus|alternatively|lastly|finally|also|and|but|so|then|again|next|first|second"
    r"|in\s+addition(?!\s+to)|additionally|further|for\s+(?:example|instance)|of\s+course|typically|in\s+(?:this|that)\s+case"
    r"|as\s+(?:always|usual|such)|by\s+default|otherwise|similarly|likewise|furthermore|moreover|conversely)\b[,\s]*)+",
    re.IGNORECASE,
)
# What only its neighbours explain is no question by itself.
_CONTEXT = re.compile(
    r"\b(?:this|these|those)\b|^when\s+(?:true|false|enabled|set)\b|^(?:\S+\s+){1,6}it\b(?!')|^(?:that|it|its|they|them|he|she|here|there|both|such|each|one|the\s+(?:former|latter|method|function|same))\b"
    r"|\b(?:above|below|as\s+follows|the\s+following|the\s+previous|previously|earlier|aforementioned|these\s+(?:methods|options)"
    r"|do\s+(?:so|this|that)|the\s+(?:inverse|opposite)\s+of|in\s+this)\b",
    re.IGNORECASE,
)
# What is left where the pointing words were the middle of a clause.
_DANGLING = re.compile(
    r"\b(?:the|an?|of|to|is|are|be|and|or|if|by|from|who|have|we|which)\s*(?:,|\.|$)|^which\b", re.IGNORECASE
)
# A mention is a question only where the reader is to do something with what is linked, and little else is said.
_MODAL = r"you(?:'ll)?\s+(?:may|can|could|should|must|might|need\s+to|want\s+to|have\s+to|will\s+need\s+to)"
_ACT = (
    r"(?:us|utiliz|defin|configur|creat|register|add|enabl|publish|writ|attach|implement|provid|specify|set|generat|customiz"
    r"|assign|appl|run|start|build|call|invok|install|mak|pass|wrap|extend|protect|remember\s+to|be\s+sure\s+to|make\s+sure)"
)
_ACTION = re.compile(
    rf"(?:\b{_MODAL}\b|(?:^|,\s*|\b(?:by|then|and)\s+){_ACT}[a-z]*\b)[^,;:.]{{0,60}}{_HERE}"
    rf"(?=[^.;]{{0,40}}[.:!?)]*\s*$|(?:\s+[\w`'-]+){{0,3}}\s+(?:to|in\s+order\s+to|so\s+that|for|when|if|in\s+your|on\s+your|within|instead)\b)",
    re.IGNORECASE,
)
# "When using X, you may ..." is about what you may, not about X.
_ASIDE = re.compile(
    rf"^(?:when|if|while|unlike|like|since|because|once|after|before|as|although|in|for|with|using)\b[^,]*{_HERE}[^,]*,",
    re.IGNORECASE,
)
# A phrase in passing: what the sentence opens with, or goes on from to something else.
_PASSING = re.compile(
    rf"^(?:the\s+|an?\s+)?{_HERE}|{_HERE}[^,;.]*(?:;|,\s*(?:but|however|making|while|whereas)\b)|,\s*which\b[^,]*{_HERE}[^,]*,",
    re.IGNORECASE,
)
_GOAL = re.compile(r"^(?:(?:if|when|whenever)\s+you|(?:in\s+order\s+)?to\s+[a-z]|if\s+your)\b[^,]*(?=,)", re.IGNORECASE)
_TAIL = re.compile(r"^(?:for|on|about|to\s+learn|a|an|the)\b[\s,]+(?=\S+\s)", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_BEFORE_COMMA = re.compile(r" ([,\u3002\uff0c\u060c])")
_PHRASE = 3
"""A link's text of so many content words is a phrase that its author wrote to say what is there."""

_EDGE = " \t\n,;:.!?\u2013\u2014-()\"'\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f\uff08\uff09\u060c\u061b\u061f\u0964"


class Query(NamedTuple):
    """A query, or the rule that refuses the sentence."""

    text: str
    refused: str = ""


def make_query(sentence: str, link: Link, title: str, *, english: bool = True, mentions: bool = False) -> Query:
    """Return the question that a sentence asks of the section that it links to.

    Parameters
    ----------
    sentence : str
        As a reader sees it.
    link : Link
        The range of the link on the sentence.
    title : str
        The title of the section that it names.
    english : bool
        Whether the rules for English sentences hold; other languages keep the whole sentence.
    mentions : bool
        Whether a sentence may also only mention what it links to.

    The link's text stays where it is the author's own phrase, and goes where its words are those of the title. A
    clause that only points ("see ...", "for more information") goes. In English, a sentence that does not
    point must ask for something to be done with what is linked, and nothing may depend on
    the sentences before it.
    """
    text = sentence[link.start : link.end]
    words, titled = content_words(text), set(content_words(title))
    keeps = bool(set(words) - titled)
    marked = sentence[: link.start] + _HERE + sentence[link.end :]
    if not english:
        return Query(_tidy(marked.replace(_HERE, text if keeps else " ")))
    marked = _OPENING.sub("", _LABEL.sub("", marked.strip()))
    pointing = _POINTER.search(_SEEING.sub(lambda seeing: _SAME * len(seeing[0]), marked))
    if _POINTING_TEXT.fullmatch(text.strip()):
        marked = marked.replace(_HERE, " ")
    elif pointing is not None:
        marked = marked[: pointing.start()] + (f", {_HERE} " if keeps else " ") + marked[pointing.end() :]
        text = _NOUNS_OF_DOCS.sub("", text)
    elif not mentions and not _acts(marked, phrase=keeps and len(words) >= _PHRASE):
        return Query("", "only mentions its target")
    elif not keeps:
        goal = _GOAL.match(marked)
        if goal is None or _HERE in goal[0]:
            return Query("", "is no sentence without its link")
        marked = goal[0]
    marked = _TAIL.sub("", _OPENING.sub("", _BOILERPLATE.sub("", marked).strip(_EDGE)))
    if _CONTEXT.search(marked):
        return Query("", "needs the sentences around it")
    query = _tidy(marked.replace(_HERE, text if keeps else " "))
    return Query("", "is no sentence without its link") if _DANGLING.search(query) else Query(query)


def _acts(marked: str, *, phrase: bool) -> bool:
    """Tell whether the reader is to do something with what is linked, or a whole phrase says what is there."""
    if _ASIDE.search(marked) is not None:
        return False
    return _ACTION.search(marked) is not None or (phrase and _PASSING.search(marked) is None)


def _tidy(text: str) -> str:
    return _BEFORE_COMMA.sub(r"\1", _BLANKS.sub(" ", text)).strip(_EDGE)
