import pytest

from ragtrial.measures.grams import Piece, word_grams
from ragtrial.text.words import word_splitter


@pytest.mark.parametrize(
    ("words", "grams"),
    [
        ("", set()),
        ("a", {"a"}),
        ("a b c d", {"a b c d"}),
        ("a b c d e", {"a b c d e"}),
        ("a b c d e f", {"a b c d e", "b c d e f"}),
        ("a a a a a a a", {"a a a a a"}),
    ],
)
def test_grams_are_the_distinct_runs_of_five_words(words, grams):
    assert word_grams(words.split()) == grams


def test_a_piece_has_the_words_of_its_splitter():
    text = "Der Überblick, 2. Teil"
    assert Piece.of(text, word_splitter("study")).words == "der berblick 2 teil"
    assert Piece.of(text, word_splitter("unicode")).words == "der überblick 2 teil"


@pytest.mark.parametrize(
    ("phrase", "inside"),
    [
        ("b c", True),
        ("a", True),
        ("d", True),
        ("a b c d", True),
        ("a c", False),
        ("b", True),
        ("bb", False),
        ("c b", False),
    ],
)
def test_a_phrase_is_found_as_whole_words_in_order(phrase, inside):
    piece = Piece.of("a b c d", str.split)
    assert piece.contains(phrase) is inside


def test_a_phrase_is_not_found_inside_longer_words():
    assert not Piece.of("scatter cats", str.split).contains("cat")
    assert not Piece.of("", str.split).contains("cat")
