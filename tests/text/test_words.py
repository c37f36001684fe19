"""Words: the study's definition against a regular expression, and Unicode text as its readers mean it."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import SpecError
from ragtrial.text import words as module
from ragtrial.text.words import dropped_share, search_words, study_words, unicode_words, word_splitter

ANY_TEXT = st.text() | st.text(
    alphabet="aB1_-' é’ß東京にデー\u3099서울ไทย๒Жⅷ™\u200b\u00ad\ufe0f\u0301\u20e3🚀🏽🇩🇪\u200d½ﬁ"
)
ASCII = st.text(alphabet=st.characters(max_codepoint=127))


@given(ANY_TEXT)
def test_study_words_are_runs_of_ascii_letters_and_digits_of_the_lower_cased_text(text: str):
    assert study_words(text) == re.findall("[a-z0-9]+", text.lower())


@given(ASCII)
def test_all_splitters_agree_on_ascii_text(text: str):
    assert study_words(text) == unicode_words(text) == search_words(text) == re.findall("[a-z0-9]+", text.lower())


@given(ANY_TEXT)
def test_composed_and_decomposed_text_has_the_same_words(text: str):
    decomposed, composed = unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)
    assert unicode_words(decomposed) == unicode_words(composed)
    assert search_words(decomposed) == search_words(composed)


@given(ANY_TEXT)
def test_case_makes_no_difference(text: str):
    assert unicode_words(text.casefold()) == unicode_words(text)


@given(ANY_TEXT)
def test_splitting_words_again_changes_nothing(text: str):
    words = unicode_words(text)
    assert unicode_words(" ".join(words)) == words


@given(ANY_TEXT)
def test_search_words_hold_the_letters_of_the_words(text: str):
    # Pairs repeat letters and words regroup, but no letter appears or vanishes.
    assert set("".join(search_words(text))) == set("".join(unicode_words(text)))


def test_the_short_cut_without_unicode_tables_gives_the_same_words():
    plain = [chr(code) for code in range(sys.maxunicode + 1) if not module._NOT_PLAIN.match(chr(code))]
    assert len(plain) > 1_500
    for sign in plain:
        found = module._PLAIN_WORD.findall(sign)
        assert found == module._WORD.findall(sign), hex(ord(sign))
        assert found == [word for _, word in module._RUN_OR_WORD.findall(sign)], hex(ord(sign))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t—… ", []),
        ("Don't well-known snake_case C++ 3.14", ["don", "t", "well", "known", "snake", "case", "c", "3", "14"]),
        ("don’t well‐known", ["don", "t", "well", "known"]),
        ("Ünïcode ÜNÏCODE u\u0308ni\u0308code", ["ünïcode"] * 3),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ΣΊΣΥΦΟΣ Σίσυφος", ["σίσυφοσ", "σίσυφοσ"]),
        ("Привет, мир!", ["привет", "мир"]),
        ("هذا كتاب", ["هذا", "كتاب"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("ＡＢＣ１２ ﬁrst", ["abc12", "first"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zero", "width"]),
        ("Angular™ x℠ y© m²", ["angular", "x", "y", "m2"]),
        ("пʼять", ["пʼять"]),
        ("東京都に。Python3", ["東", "京", "都", "に", "python3"]),
        ("ﾃﾞｰﾀ データ", ["デ", "ー", "タ"] * 2),
        ("葛\U000e0100城", ["葛", "城"]),
        ("서울에서 K팝", ["서울에서", "k팝"]),
        ("ปี ๒๕๖๗", ["ปี", "๒๕๖๗"]),
        ("🚀launch 👍🏽 👩‍💻 🇩🇪🇫🇷 ❤️ 1️⃣", ["🚀", "launch", "👍", "👩", "💻", "🇩🇪", "🇫🇷", "❤", "1"]),
    ],
)
def test_unicode_words(text: str, expected: list[str]):
    assert unicode_words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京都", ["東", "京", "都", "東京", "京都"]),
        ("猫", ["猫"]),
        ("東京、猫。Python3を使う", ["東", "京", "東京", "猫", "python3", "を", "使", "う", "を使", "使う"]),
        ("データベース", ["デ", "ー", "タ", "ベ", "ー", "ス", "デー", "ータ", "タベ", "ベー", "ース"]),
        ("서울에서 K팝", ["서", "울", "에", "서", "서울", "울에", "에서", "k", "팝"]),
        ("ปีนี้", ["ปี", "นี้", "ปีนี้"]),
        ("ภาษา", ["ภ", "า", "ษ", "า", "ภา", "าษ", "ษา"]),
        ("Ёлка 🚀", ["ёлка", "🚀"]),
    ],
)
def test_search_words(text: str, expected: list[str]):
    assert search_words(text) == expected


def test_splitters_by_name():
    assert word_splitter("study") is study_words
    assert word_splitter("unicode") is unicode_words
    with pytest.raises(SpecError, match=r"'studdy'\. Did you mean 'study'\? Known: study, unicode\."):
        word_splitter("studdy")


@pytest.mark.parametrize(
    ("text", "share"), [("", 0), ("plain English", 0), ("123 …", 0), ("Привет", 1), ("東京 ab", 0.5), ("éabc", 0.25)]
)
def test_dropped_share(text: str, share: float):
    assert dropped_share(text) == share


@given(ANY_TEXT)
def test_dropped_share_is_the_share_of_letters_outside_study_words(text: str):
    letters = [sign for sign in text.lower() if sign.isalpha()]
    kept = [sign for word in study_words(text) for sign in word if sign.isalpha()]
    assert dropped_share(text) == pytest.approx(1 - len(kept) / len(letters) if letters else 0)
