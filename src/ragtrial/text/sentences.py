"""Where sentences end."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["sentence_ends"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def sentence_ends(text: str, language: str = "en") -> list[int]:
    """Return the offsets after each sentence of a text, in characters; the last one is ``len(text)``.

    Blanks after a sentence belong to it. The rules are those of the library sentencex,
    which knows abbreviations, quotes and the sentence marks of most scripts;
    ``language`` is a two-letter code and unknown ones fall back to a near relative.
    """
    from sentencex import segment

    # The library takes no half of a surrogate pair; one for one, so that offsets stay.
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    ends: list[int] = []
    position = 0
    for sentence in segment(language, text):
        # The library may drop blanks between paragraphs, so each sentence is found from where the last one ended.
        content = sentence.strip()
        found = text.find(content, position) if content else -1
        if found < 0:
            continue
        position = found + len(content)
        while position < len(text) and text[position].isspace():
            position += 1
        ends.append(position)
    if not ends or ends[-1] != len(text):
        ends.append(len(text))
    return ends
