"""The canonical normaliser of templates: what text, if any, a template leaves in the flow.

A template of the tables below gives what its reader would see, in its simplest form; every other template gives nothing
and is counted by its name. So boxes, notices, citations and maintenance marks go, and words and measures in a
sentence stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Arguments", "template_text"]


class Arguments(NamedTuple):
    """The arguments of a template, as flat text: those without a name in order, and the others by name."""

    given: list[str]
    named: Mapping[str, str]

    def at(self, number: int) -> str:
        """Return an argument without a name, counted from 1, also where it is written ``1=``; "" if it is missing."""
        found = self.named.get(str(number))
        if found is None and number <= len(self.given):
            found = self.given[number - 1]
        return (found or "").strip()


_Writer = Callable[[Arguments], str]


def _numbered(number: int) -> _Writer:
    return lambda arguments: arguments.at(number)


def _fixed(text: str) -> _Writer:
    return lambda _: text


def _joined(separator: str) -> _Writer:
    return lambda arguments: separator.join(text for given in arguments.given if (text := given.strip()))


def _before(text: str) -> _Writer:
    return lambda arguments: f"{text}{_joined('–')(arguments)}" if arguments.given else text


def _measure(arguments: Arguments) -> str:
    """{{convert|5|km|mi}}: 5 km; {{convert|5|to|10|km}}: 5 to 10 km."""
    words = arguments.given[:2]
    if len(arguments.given) > 3 and arguments.at(2) in _BETWEEN_MEASURES:
        words = arguments.given[:4]
    return " ".join(_BETWEEN_MEASURES.get(word.strip(), word.strip()) for word in words)


_BETWEEN_MEASURES = {
    "to": "to",
    "-": "–",
    "–": "–",
    "and": "and",
    "or": "or",
    "by": "by",
    "x": "×",
    "×": "×",
    "to(-)": "to",
}


def _value(arguments: Arguments) -> str:
    power = arguments.named.get("e", "").strip()
    unit = (arguments.named.get("u") or arguments.named.get("ul") or "").strip()
    error = arguments.at(2)
    number = arguments.at(1) + (f" ± {error}" if error else "") + (f" × 10^{power}" if power else "")
    return f"{number} {unit}".strip()


def _fraction(arguments: Arguments) -> str:
    words = [given.strip() for given in arguments.given]
    if len(words) == 1:
        return f"1/{words[0]}"
    return f"{words[0]} {words[1]}/{words[2]}" if len(words) > 2 else "/".join(words)


_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _as_of(arguments: Arguments) -> str:
    month = arguments.at(2)
    if month.isascii() and month.isdigit() and 1 <= int(month[:4]) <= 12:
        month = _MONTHS[int(month[:4]) - 1]
    words = [arguments.at(3), month, arguments.at(1)]
    return arguments.named.get("alt", "").strip() or "As of " + " ".join(word for word in words if word)


def _ship(arguments: Arguments) -> str:
    return " ".join(word for word in (arguments.at(1), arguments.at(2)) if word)


def _named_ship(prefix: str) -> _Writer:
    return lambda arguments: f"{prefix} {arguments.at(1)}"


def _last(arguments: Arguments) -> str:
    return arguments.given[-1].strip() if arguments.given else ""


def _quote(arguments: Arguments) -> str:
    text = arguments.at(1) or next((arguments.named[key] for key in ("text", "quote") if key in arguments.named), "")
    return f"\n\n{text.strip()}\n\n"


def _listed(arguments: Arguments) -> str:
    return ", ".join(text for given in arguments.given if (text := " ".join(given.replace("*", " ").split())))


_FIRST = (
    *(
        "abbr",
        "abbrlink",
        "allcaps",
        "angbr",
        "as written",
        "big",
        "bold",
        "center",
        "code",
        "em",
        "flag",
        "flagcountry",
    ),
    *(
        "flagu",
        "gr",
        "grc",
        "hebrew",
        "ill",
        "illm",
        "interlanguage link",
        "interlanguage link multi",
        "ipalink",
        "italic",
    ),
    *("kbd", "key", "keypress", "larger", "lc", "linktext", "math", "mono", "mvar", "nihongo", "nobold", "nobr"),
    *("noitalic", "not a typo", "nowrap", "overline", "polytonic", "pre", "sc", "script", "sic", "small", "smallcaps"),
    *("smaller", "strong", "sub", "sup", "tooltip", "tt", "uc", "underline", "unicode", "var", "visible anchor"),
    *("nobreak", "samp", "vanchor"),
)
_WRITERS: dict[str, _Writer] = {
    **dict.fromkeys(_FIRST, _numbered(1)),
    **dict.fromkeys(("lang", "langx", "color", "colour", "font color", "font colour", "resize"), _numbered(2)),
    **dict.fromkeys(("transl", "transliteration"), _last),
    **dict.fromkeys(("convert", "cvt"), _measure),
    **dict.fromkeys(("val", "gaps", "num"), _value),
    **dict.fromkeys(("frac", "fraction", "sfrac", "fract"), _fraction),
    **dict.fromkeys(("circa", "c."), _before("c. ")),
    **dict.fromkeys(("floruit", "fl."), _before("fl. ")),
    **dict.fromkeys(("reign", "r."), _before("r. ")),
    **dict.fromkeys(("ndash", "en dash"), _fixed("–")),
    **dict.fromkeys(("snd", "spaced ndash", "spnd", "spaced en dash"), _fixed(" – ")),
    **dict.fromkeys(("mdash", "em dash"), _fixed("—")),
    **dict.fromkeys(("nbsp", "space", "thinsp", "hsp", "clear space"), _fixed(" ")),
    **dict.fromkeys(("dot", "bullet", "·", "•", "middot"), _fixed(" · ")),
    **dict.fromkeys(("'", "`", "apostrophe"), _fixed("’")),
    **dict.fromkeys(("quote", "blockquote", "cquote", "quotation", "bquote", "centered pull quote"), _quote),
    **dict.fromkeys(
        ("flatlist", "hlist", "plainlist", "ubl", "unbulleted list", "cslist", "comma separated entries"), _listed
    ),
    **dict.fromkeys(("chem", "chem2", "chembox formula", "ce"), _joined("")),
    **dict.fromkeys(("date", "dts", "sortname", "start date"), _joined(" ")),
    "!": _fixed("|"),
    "=": _fixed("="),
    "as of": _as_of,
    "hms": _named_ship("HMS"),
    "minus": _fixed("−"),
    "pi": _fixed("π"),
    "ship": _ship,
    "ss": _named_ship("SS"),
    "times": _fixed("×"),
    "uss": _named_ship("USS"),
}


def template_text(name: str, arguments: Arguments) -> str | None:
    """Return the text that a template gives, None if it is none of those that give text.

    ``name`` is the template's name as written; upper and lower case, underscores and blanks around it do
    not matter. ``{{lang-de|...}}`` and the like give their first argument.
    """
    key = " ".join(name.replace("_", " ").lower().split()).removeprefix("template:")
    writer = _WRITERS.get(key)
    if writer is None and key.startswith("lang-"):
        writer = _numbered(1)
    return None if writer is None else writer(arguments)
