import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError
from ragtrial.questions.locate import Located, Quote, find_quote, locate
from ragtrial.questions.model import Place
from ragtrial.text.folding import FoldedText


def document(text, name="a"):
    return read_text(text, id=name)


def one(wanted, *documents):
    (result,) = locate([wanted], documents)
    return result


def test_a_quote_is_located_as_written():
    found = one(Quote("the quick fox"), document("See the quick fox run."))
    assert isinstance(found, Located)
    assert found.evidence.text == "the quick fox"
    assert found.evidence.document == "a"
    assert found.evidence.spans == ((4, 17),)
    assert (found.exact, found.ambiguous) == (True, False)


def test_white_space_is_folded_and_the_span_is_that_of_the_text():
    text = "Intro\n\n\tthe  quick\r\n   fox\u00a0runs.  End"
    found = one(Quote(" the quick fox runs. "), document(text))
    (span,) = found.evidence.spans
    assert text[span.start : span.end] == "the  quick\r\n   fox\u00a0runs."
    assert not found.exact
    assert found.evidence.text == " the quick fox runs. ", "the quote stays as it was given"


def test_white_space_in_the_quote_is_folded_too():
    found = one(Quote("the\n\nquick fox"), document("the quick fox"))
    assert found.evidence.spans == ((0, 13),)


def test_white_space_is_not_made_up():
    assert isinstance(one(Quote("the quick"), document("thequick")), str)
    assert isinstance(one(Quote("thequick"), document("the quick")), str)


def test_an_exact_place_wins_over_an_earlier_folded_one():
    found = one(Quote("quick brown fox"), document("quick  brown fox", "a"), document("quick brown fox", "b"))
    assert found.evidence.document == "b"
    assert found.exact
    assert not found.ambiguous


def test_the_first_document_wins_and_several_places_are_ambiguous():
    found = one(Quote("a b c"), document("x a b c", "b"), document("a b c", "a"))
    assert (found.evidence.document, found.evidence.spans) == ("b", ((2, 7),))
    assert found.ambiguous
    assert one(Quote("aa"), document("aaa")).ambiguous
    assert one(Quote("a b"), document("a  b a  b")).ambiguous
    assert not one(Quote("a b", "a"), document("x a b c", "b"), document("a b c", "a")).ambiguous


def test_a_named_document_is_the_only_place():
    documents = (document("one two three", "a"), document("four", "b"))
    assert one(Quote("two", "b"), *documents) == "the quote 'two' is not in document 'b'"
    assert one(Quote("two", "c"), *documents) == "there is no document 'c'"
    assert one(Quote("nowhere at all"), *documents) == "the quote 'nowhere at all' is not in any document"


def test_a_long_quote_is_shortened_in_the_reason():
    reason = one(Quote("word " * 100), document("x"))
    assert len(reason) < 130
    assert "..." in reason


def test_ranges_are_cut_and_checked():
    text = document("Ein großer Tag", "b")
    found = one(Place("b", 4, 10), text)
    assert found.evidence.text == "großer"
    assert found.evidence.spans == ((4, 10),)
    assert one(Place("b", 4, 15), text) == "the range [4, 15) is outside document 'b', which has 14 characters"
    assert one(Place("c", 4, 15), text) == "there is no document 'c'"


def test_chinese_quotes_need_no_words():
    found = one(Quote("压缩包"), document("首先下载", "a"), document("首先下载压缩包。", "b"))
    assert (found.evidence.document, found.evidence.spans) == ("b", ((4, 7),))


def test_results_keep_the_order_of_the_wanted():
    wanted = [Quote("b"), Place("x", 0, 1), Quote("none"), Quote("a")]
    results = locate(wanted, [document("a b", "x")])
    assert [result if isinstance(result, str) else result.evidence.text for result in results] == [
        "b",
        "a",
        "the quote 'none' is not in any document",
        "a",
    ]


def test_documents_are_read_once_and_one_id_is_one_document():
    documents = iter([document("a", "x"), document("b", "y")])
    assert [result.evidence.document for result in locate([Quote("b"), Quote("a")], documents)] == ["y", "x"]
    with pytest.raises(DataError, match="two documents with one id, 'x'"):
        locate([], [document("a", "x"), document("b", "x")])


white = st.text(st.sampled_from(" \t\n\r\u00a0\u2028\x1f"), min_size=1, max_size=3)
word = st.text(st.sampled_from("abä字"), min_size=1, max_size=3)


@given(st.lists(st.tuples(word, white), min_size=1, max_size=12), st.data())
def test_every_run_of_words_is_found_whatever_its_white_space(pieces, data):
    text = "".join(a + b for a, b in pieces)
    first = data.draw(st.integers(0, len(pieces) - 1))
    last = data.draw(st.integers(first, len(pieces) - 1))
    quote = data.draw(white).join(a for a, _ in pieces[first : last + 1])
    span = find_quote(text, quote)
    assert span is not None
    assert text[span.start : span.end].split() == quote.split()
    located = one(Quote(quote), document(text))
    assert located.evidence.spans == (span,)


@given(st.text(st.sampled_from("ab \n"), max_size=20), st.text(st.sampled_from("ab \n"), min_size=1, max_size=6))
def test_the_place_is_that_of_a_plain_search(text, quote):
    words = [re.escape(part) for part in quote.split()]
    exact = text.find(quote.strip()) if words else -1
    folded = re.search(r"\s+".join(words), text) if words else None
    if exact >= 0:
        assert find_quote(text, quote) == (exact, exact + len(quote.strip()))
    else:
        assert find_quote(text, quote) == (folded.span() if folded else None)


@given(st.text(st.sampled_from("ab \t\n\u2003"), max_size=40))
def test_folded_offsets_lead_back_to_the_same_characters(text):
    folded = FoldedText(text)
    assert folded.text == re.sub(r"\s+", " ", text)
    for offset, character in enumerate(folded.text):
        if character != " ":
            assert text[folded.original(offset)] == character


def test_the_two_notions_of_white_space_agree():
    # The index of quotes splits words with str.split, folding works with \s.
    for code in range(sys.maxunicode + 1):
        assert (re.match(r"\s", chr(code)) is not None) == (not chr(code).split()), hex(code)
