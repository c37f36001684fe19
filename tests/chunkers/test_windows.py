"""Fixed windows: they tile, they overlap by what was asked, and they cut between characters only."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.windows import Chars, Tokens
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError
from ragtrial.text import tokens

texts = st.text(alphabet=st.sampled_from("ab \n#é中文字🚀👩‍🚀\r\u0301"), max_size=300) | st.text(max_size=200)


def edges(chunks):
    return [(chunk.start_index, chunk.end_index) for chunk in chunks]


@given(texts, st.integers(1, 40))
def test_character_windows_tile(text, size):
    chunks = Chars(size).chunk(text)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    assert all(len(chunk.text) == size for chunk in chunks[:-1])
    assert all(text[start:end] == chunk.text for chunk, (start, end) in zip(chunks, edges(chunks), strict=True))


@given(texts, st.integers(1, 20))
def test_token_windows_tile(text, size):
    chunks = Tokens(size).chunk(text)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")


@given(texts, st.integers(2, 30), st.data())
def test_token_windows_start_where_the_study_says(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    chunks = Tokens(size, overlap=overlap).chunk(text)
    n = tokens.count(text)
    if not text.strip():
        assert chunks == []
        return
    # A window that holds only the rest of a character has no text of its own and is not a chunk.
    assert len(chunks) <= len(range(0, max(n - overlap, 1), size - overlap))
    assert edges(chunks) == sorted(edges(chunks))
    assert chunks[0].start_index == 0
    assert chunks[-1].end_index == len(text)
    for before, after in itertools.pairwise(chunks):
        assert after.start_index <= before.end_index


def test_token_windows_are_the_decoded_slices_on_plain_text():
    text = "Retrieval augmented generation indexes documents as chunks. " * 60
    ids = tokens.encode(text)
    expected = [tokens.decode(ids[start : start + 64]) for start in range(0, max(len(ids) - 16, 1), 48)]
    assert [chunk.text for chunk in Tokens(64, overlap=16).chunk(text)] == expected


def test_character_overlap():
    assert [chunk.text for chunk in Chars(4, overlap=1).chunk("abcdefgh")] == ["abcd", "defg", "gh"]


def test_a_short_text_is_one_window():
    assert edges(Tokens(256, overlap=32).chunk("few words")) == [(0, 9)]


def test_windows_carry_the_path_of_their_first_character():
    text = "# A\n\n" + "x" * 20 + "\n\n## B\n\n" + "y" * 20
    assert [chunk.path for chunk in Chars(25).chunk(text)] == [("A",), ("A",), ("A", "B")]


def test_cjk_and_emoji_are_never_torn(shared):
    path = shared("cases/markdown/42_multibyte_cut.md")
    document = read_markdown(path.read_bytes().decode("utf-8"), id=path.name)
    for size in range(1, 12):
        chunks = Tokens(size).chunk(document)
        assert "".join(chunk.text for chunk in chunks) == document.text
        assert "\ufffd" not in "".join(chunk.text for chunk in chunks)


@pytest.mark.parametrize("make", [lambda: Chars(5, overlap=5), lambda: Tokens(5, overlap=9)])
def test_an_overlap_that_leaves_no_step_is_refused(make):
    with pytest.raises(SpecError, match="no step forward"):
        make()
