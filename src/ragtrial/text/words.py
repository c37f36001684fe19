"""Text to words: the study's ``[a-z0-9]+``, and splitters that work in every script.

On ASCII text all splitters agree: apostrophes, hyphens and underscores separate words, so that ``model's`` is
``model s``, ``well-known`` is ``well known`` and ``snake_case`` is ``snake case``. A question in plain words then finds
a possessive or an identifier without a stemmer. Their typographic forms (``’``, ``‐``) separate words just the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from operator import add
from string import ascii_lowercase
from typing import Final, TypeAlias

import regex

from ragtrial.errors import SpecError, did_you_mean

__all__ = ["WordSplitter", "dropped_share", "search_words", "study_words", "unicode_words", "word_splitter"]

WordSplitter: TypeAlias = Callable[[str], list[str]]

_STUDY_WORD: Final = re.compile("[a-z0-9]+")
# Lower-cases and blanks out separators in one pass; with split() it is twice as fast as the expression above.
_ASCII_WORDS: Final = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

# NFKC would glue the marks ™ and ℠ to the word before them as letters; a zero-width space does separate words.
_SEPARATORS: Final = ("\N{TRADE MARK SIGN}", "\N{SERVICE MARK}", "\N{ZERO WIDTH SPACE}")
# Soft hyphens, joiners, variation selectors: what nobody can see must not tell two words apart.
_INVISIBLE: Final = regex.compile(r"\p{Default_Ignorable_Code_Point}+")

# Letters and digits without marks, emoji or unspaced scripts need no Unicode tables, and `re` is four times as fast:
# Latin, Greek, Cyrillic, Hebrew and Arabic letters and the punctuation and signs that go with them.
_NOT_PLAIN: Final = re.compile(
    "[^\0-\u02ff\u0370-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u064a\u0660-\u0669\u0671-\u06d3"
    "\u1e00-\u1fff\u2010-\u2027\u2030-\u203b\u20a0-\u20bf\u2190-\u2193\u2200-\u22ff]"
)
_PLAIN_WORD: Final = re.compile(r"[^\W_]+")

# © and ® are pictographs to Unicode but typography to everybody else; two regional indicators make a flag.
_EMOJI: Final = r"\p{RI}{2}|[\p{Extended_Pictographic}--[©®]]"
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}ー〆\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# Without the enclosing ones: the keycap 1⃣ is the word 1.
_MARKS: Final = r"[\p{Mn}\p{Mc}]"


def _sign(scripts: str) -> str:
    """Return the pattern of one letter of the scripts with its marks: a vowel sign or tone means nothing alone."""
    return rf"[[\p{{L}}\p{{Nl}}]&&[{scripts}]]{_MARKS}*"


def _spaced_word(scripts: str) -> str:
    """Return the pattern of a run of letters, marks and digits without letters of the scripts."""
    start = rf"[[\p{{L}}\p{{Nl}}]--[{scripts}]]\p{{Nd}}\p{{No}}"
    return rf"[{start}][{start}{_MARKS}]*"


_WORD: Final = regex.compile(f"{_spaced_word(_UNSPACED)}|{_sign(_UNSPACED)}|{_EMOJI}", regex.V1)

# Korean has spaces, but glues particles to nouns: for search its words are cut like those of unspaced scripts.
_CUT: Final = _UNSPACED + r"\p{Hangul}"
_SIGN: Final = regex.compile(_sign(_CUT), regex.V1)
_MARK: Final = regex.compile(_MARKS)
_RUN_OR_WORD: Final = regex.compile(f"((?:{_sign(_CUT)})+)|({_spaced_word(_CUT)}|{_EMOJI})", regex.V1)


def study_words(text: str) -> list[str]:
    """Return the maximal runs of ``[a-z0-9]`` of the lower-cased text (METHODS 4 and 5.1).

    Everything else is dropped, whole scripts included; `dropped_share` says how much that is.
    """
    if text.isascii():
        return text.translate(_ASCII_WORDS).split()
    return _STUDY_WORD.findall(text.lower())


def unicode_words(text: str) -> list[str]:
    """Return the words of a text in any script, for measures.

    The text is folded as Unicode's NFKC_Casefold does, so that width, ligatures, case, composed or decomposed accents
    and invisible characters make no difference. A word is then

    - a run of letters, combining marks and digits;
    - in Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar, which are written without spaces, one letter with its
      marks: a 5-gram of words is then a short phrase in every script, and needs no dictionary;
    - one emoji, without its skin tone.

    Punctuation and other symbols separate words.
    """
    if text.isascii():
        return text.translate(_ASCII_WORDS).split()
    folded = _folded(text)
    if _NOT_PLAIN.search(folded) is None:
        return _PLAIN_WORD.findall(folded)
    return _WORD.findall(folded)


def search_words(text: str) -> list[str]:
    """Return the words of a text in any script, for retrieval.

    As `unicode_words`, but a run of letters of an unspaced script, or of Hangul, becomes its letters
    and its overlapping pairs: ``東京都`` is ``東 京 都 東京 京都``. Pairs need no dictionary and retrieve as
    well as words; single letters beside them find words of one letter, such as 猫 in 猫の餌, and
    weigh little where they are common (Nie, Gao, Zhang, Zhou 2000).
    """
    if text.isascii():
        return text.translate(_ASCII_WORDS).split()
    folded = _folded(text)
    if _NOT_PLAIN.search(folded) is None:
        return _PLAIN_WORD.findall(folded)
    signs_of = _SIGN.findall if _MARK.search(folded) else list
    words: list[str] = []
    for run, word in _RUN_OR_WORD.findall(folded):
        if word:
            words.append(word)
        else:
            signs = signs_of(run)
            words += signs
            words += map(add, signs, signs[1:])
    return words


def word_splitter(name: str) -> WordSplitter:
    """Return the splitter that measures use: ``study`` or ``unicode``; another name raises `SpecError`."""
    if name not in _SPLITTERS:
        raise SpecError(f"There is no word splitter called {name!r}.", hint=did_you_mean(name, _SPLITTERS))
    return _SPLITTERS[name]


def dropped_share(text: str) -> float:
    """Return which share of the letters of a text `study_words` loses, 0 to 1; 0.0 for a text without letters."""
    if text.isascii():
        return 0.0
    lowered = text.lower()
    letters = sum(map(str.isalpha, lowered))
    kept = sum(map(lowered.count, ascii_lowercase))
    return (letters - kept) / letters if letters else 0.0


_SPLITTERS: Final[dict[str, WordSplitter]] = {"study": study_words, "unicode": unicode_words}


def _folded(text: str) -> str:
    for separator in _SEPARATORS:
        text = text.replace(separator, " ")
    text = _INVISIBLE.sub("", text)
    # Case folding can undo the normal form (ẖ, ᾳ), so it is restored.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
