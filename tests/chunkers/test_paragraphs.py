"""The paragraph packer: blank lines separate, fences hold together, nothing is lost."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.paragraphs import Paragraphs

lines = st.sampled_from(["", " ", "word", "# head", "```", "~~~", "```py", "    code", "- item", "x" * 30, "\ufeff"])
documents = st.tuples(st.lists(lines, max_size=25), st.sampled_from(["\n", "\r\n", "\r"])).map(
    lambda p: p[1].join(p[0])
)


@given(documents, st.integers(1, 80))
def test_every_line_with_text_is_in_exactly_one_chunk(text, size):
    chunks = Paragraphs(size).chunk(text)
    spans = [span for chunk in chunks for span in chunk.spans]
    assert spans == sorted(spans)
    covered = "".join(text[span.start : span.end] for span in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))


@given(documents, st.integers(1, 80))
def test_a_chunk_passes_the_size_only_when_it_is_one_block(text, size):
    for chunk in Paragraphs(size).chunk(text):
        assert len(chunk.text) <= size or len(chunk.spans) == 1


def test_packing_is_greedy_and_counts_the_blank_line():
    text = "aaaa\n\n\n\nbbbb\n\ncccc"
    assert [chunk.text for chunk in Paragraphs(10).chunk(text)] == ["aaaa\n\nbbbb", "cccc"]
    assert [chunk.text for chunk in Paragraphs(9).chunk(text)] == ["aaaa", "bbbb", "cccc"]


def test_fences_are_never_split_and_headings_are_ordinary():
    text = "# T\n\n```py\na\n\nb\n```\n\ntail"
    assert [chunk.text for chunk in Paragraphs(5).chunk(text)] == ["# T", "```py\na\n\nb\n```", "tail"]


def test_an_unclosed_fence_runs_to_the_end():
    assert [chunk.text for chunk in Paragraphs(3).chunk("~~~\na\n\n~~\n\nb")] == ["~~~\na\n\n~~\n\nb"]


def test_carriage_returns_are_normalised_in_text_and_kept_in_spans():
    (chunk,) = Paragraphs().chunk("a\r\nb\r\n\r\nc")
    assert chunk.text == "a\nb\n\nc"
    assert chunk.spans == ((0, 4), (8, 9))


def test_blank_documents_have_no_chunks():
    assert Paragraphs().chunk(" \n\n\t\r\n") == []
