"""Windows of another chunker's mean length: they tile, they match, they snap to sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers import CHUNKERS
from ragtrial.chunkers.headers import Headers
from ragtrial.chunkers.length_matched import LengthMatched
from ragtrial.chunkers.sections import Sections
from ragtrial.chunkers.windows import Tokens
from ragtrial.chunkers.windows_matched import WindowsMatched, matched_lengths
from ragtrial.documents.markdown import read_markdown
from ragtrial.specs import parse_call
from ragtrial.text.counting import tokenise
from ragtrial.text.sentences import sentence_ends

words = st.lists(
    st.sampled_from(["word ", "other ", "end. ", "What? ", "\n\n", "## Head\n\n", "naïve ", "e.g. "]), max_size=120
)
prose = words.map("".join)
anything = prose | st.text(max_size=150)
reference = st.sampled_from(
    [Sections(max=20, min=5), Tokens(9), Tokens(12, overlap=5), Headers(60, min=0, dialect="study")]
)


def edges(chunks):
    return [chunk.start_index for chunk in chunks[1:]]


@given(anything, reference, st.integers(0, 20))
def test_windows_tile_the_document(text, of, snap):
    chunker = WindowsMatched(of, snap=snap)
    chunks = chunker.chunk(text)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    assert all(chunk.text == text[chunk.start_index : chunk.end_index] != "" for chunk in chunks)
    assert edges(chunker.chunk(text)) == edges(chunks)


@given(prose, st.integers(0, 20))
def test_tiles_are_matched_exactly_in_number_and_mean(text, snap):
    of = Sections(max=20, min=5)
    document = read_markdown(text)
    chunker = WindowsMatched(of, snap=snap)
    lengths = matched_lengths(chunker, [document])
    if not text.strip():
        assert lengths == []
        return
    ((name, windows, target, realised),) = lengths
    assert name == document.id
    assert windows == len(chunker.chunk(document)) == len(of.chunk(document))
    assert realised == pytest.approx(target, rel=1e-12)


@given(prose, reference, st.integers(0, 20))
def test_the_number_of_windows_comes_nearest_to_the_target(text, of, snap):
    for length in matched_lengths(WindowsMatched(of, snap=snap), [read_markdown(text)]):
        total = length.realised * length.windows
        assert abs(total / length.target - length.windows) <= 0.5 or length.windows == 1


@given(prose, st.integers(0, 20))
def test_edges_are_sentence_ends_near_the_multiples_or_the_multiples(text, snap):
    document = read_markdown(text)
    tokens = tokenise(text, "cl100k")
    chunks = WindowsMatched(Tokens(11), snap=snap).chunk(document)
    ends = sentence_ends(text)
    reach = min(snap, (len(tokens) // max(len(chunks), 1) - 1) // 2)
    for number, edge in enumerate(edges(chunks), start=1):
        ideal = round(len(tokens) * number / len(chunks))
        away = [abs(tokens.count(0, end) - ideal) for end in ends]
        if min(away) <= reach:
            assert edge in ends
            assert abs(tokens.count(0, edge) - ideal) == min(away)
        else:
            assert edge == tokens.starts[ideal]


def test_edges_snap_to_sentences_within_fifteen_tokens():
    text = "Nine words stand in each of all these sentences. " * 60
    document = read_markdown(text)
    chunks = WindowsMatched(Tokens(100)).chunk(document)
    assert len(chunks) > 4
    assert all(chunk.text.endswith(". ") for chunk in chunks[:-1])
    assert not all(chunk.text.endswith(". ") for chunk in WindowsMatched(Tokens(100), snap=0).chunk(document)[:-1])


def test_of_two_sentence_ends_as_near_the_earlier_one_is_taken():
    text = f"Word{' word' * 5}. Word{' word' * 4}. Word{' word' * 7}."
    tokens = tokenise(text, "cl100k")
    first, second, _ = sentence_ends(text)
    assert tokens.count(0, first) + tokens.count(0, second) == len(tokens) == 22
    assert edges(WindowsMatched(Tokens(11), snap=15).chunk(text)) == [first]


def test_windows_do_not_drift():
    text = "Nine words stand in each of all these sentences. " * 400
    tokens = tokenise(text, "cl100k")
    chunks = WindowsMatched(Tokens(97)).chunk(text)
    for before, after in pairwise(chunks):
        assert abs(tokens.count(before.start_index, after.start_index) - 97) <= 2 * 5


def test_lengths_are_matched_document_by_document():
    documents = [
        read_markdown("# A\n\n" + "Some words. " * 40 + "\n\n# B\n\n" + "Some words. " * 40, id="two"),
        read_markdown("# A\n\n" + "Some words. " * 40 + "\n\n# B\n\n" + "Some words. " * 80, id="more"),
        read_markdown(" \n", id="blank"),
    ]
    lengths = matched_lengths(WindowsMatched(Sections(max=1000, min=1)), documents)
    assert [(item.document, item.windows) for item in lengths] == [("two", 2), ("more", 2)]
    assert lengths[1].target > lengths[0].target + 50


def test_a_matched_chunker_that_needs_the_corpus_is_fitted_to_it():
    long, short = read_markdown("# A\n\n" + "Some words. " * 300, id="long"), read_markdown("# A\n\nfew", id="short")
    fitted = WindowsMatched(LengthMatched(Headers(100, oversize="split"))).fit([long, short])
    assert isinstance(fitted, WindowsMatched)
    assert isinstance(fitted.of, Tokens)


def test_windows_carry_the_path_of_their_first_character():
    text = "# A\n\n" + "Some words. " * 20 + "\n\n## B\n\n" + "Some words. " * 20
    chunks = WindowsMatched(Tokens(30)).chunk(text)
    document = read_markdown(text)
    assert [chunk.path for chunk in chunks] == [document.path_at(chunk.start_index) for chunk in chunks]
    assert {chunk.path for chunk in chunks} == {("A",), ("A", "B")}


def test_spelling():
    chunker = CHUNKERS.build(parse_call("windows_matched(sections(200), snap=5)"))
    assert chunker == WindowsMatched(Sections(200), snap=5)
    assert str(chunker) == "windows_matched(sections(200), snap=5)"
    assert str(WindowsMatched()) == "windows_matched"
    assert WindowsMatched().parameters()["of"]["component"] == "sections"
