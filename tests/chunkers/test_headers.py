"""Header-led chunks: both dialects, their laws, and the counts that the study publishes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.headers import Headers
from ragtrial.documents.folder import read_folder
from ragtrial.documents.markdown import read_markdown
from ragtrial.errors import SpecError
from ragtrial.text import tokens

lines = st.sampled_from(
    [
        "",
        "",
        "word word. Another one! And more",
        "# One",
        "## Two",
        "### Three",
        "```",
        "    code",
        "- item",
        "1. first",
        "> quote",
        "| a | b |",
        "|---|---|",
        "---",
        "===",
        "x" * 70,
        "Ünïcode 中文。第二句。",
        "<div>",
        "$$",
        "[a]: /b",
        "\t- deep",
    ]
)
documents = st.tuples(st.lists(lines, max_size=40), st.sampled_from(["\n", "\r\n", "\r"])).map(
    lambda p: p[1].join(p[0])
)


@given(
    documents,
    st.integers(1, 200),
    st.integers(0, 60),
    st.sampled_from(["keep", "split"]),
    st.sampled_from(["characters", "tokens"]),
)
def test_chunks_tile_the_document(text, maximum, minimum, oversize, unit):
    chunks = Headers(maximum, min=minimum, oversize=oversize, unit=unit).chunk(text)
    assert "".join(chunk.text for chunk in chunks) == (text if chunks else "")
    assert chunks or not text.strip("\ufeff \t\r\n")
    assert all(len(chunk.spans) == 1 and text[slice(*chunk.spans[0])] == chunk.text for chunk in chunks)


@given(documents, st.integers(100, 300), st.integers(0, 60))
def test_no_chunk_is_longer_than_the_maximum_when_blocks_may_be_cut(text, maximum, minimum):
    headings = read_markdown(text).headings
    chunks = Headers(maximum, min=minimum, oversize="split").chunk(text)
    for chunk in chunks:
        inside = [h for h in headings if chunk.start_index <= h.start < chunk.end_index]
        # Headings are never cut from what follows them, nor from the end of the document.
        only_headings = sum(h.end - h.start + 2 for h in inside) >= maximum
        assert len(chunk.text) <= maximum or only_headings or (chunk == chunks[-1] and inside)


@given(documents, st.integers(1, 200), st.integers(0, 60))
def test_the_study_keeps_every_character_but_blanks(text, maximum, minimum):
    chunks = Headers(maximum, min=minimum, dialect="study").chunk(text)
    spans = [span for chunk in chunks for span in chunk.spans]
    assert spans == sorted(spans)
    covered = "".join(text[span.start : span.end] for span in spans)
    assert "".join(covered.split()) == "".join(text.split())
    normal = text.replace("\r\n", "\n").replace("\r", "\n")
    assert "\r" not in "".join(chunk.text for chunk in chunks)
    assert all(part in normal for chunk in chunks for part in chunk.text.split("\n\n"))


@given(documents)
def test_carriage_returns_change_no_boundary(text):
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    for dialect in ("commonmark", "study"):
        a = Headers(80, min=20, dialect=dialect).chunk(plain)
        b = Headers(80, min=20, dialect=dialect).chunk(plain.replace("\n", "\r"))
        assert [chunk.spans for chunk in a] == [chunk.spans for chunk in b]


def test_a_heading_starts_a_chunk_and_travels_with_its_body():
    text = "# A\n\n" + "a" * 150 + "\n\n## B\n\n" + "b" * 150 + "\n\n## C\n"
    chunks = Headers().chunk(text)
    assert [chunk.path for chunk in chunks] == [("A",), ("A", "B")]
    assert chunks[1].text.endswith("## C\n")
    assert chunks[1].text.startswith("## B")


def test_levels_that_do_not_cut():
    text = "# A\n\naaa\n\n## B\n\nbbb\n\n### C\n\nccc\n"
    assert [c.text for c in Headers(min=0).chunk(text)] == ["# A\n\naaa\n\n", "## B\n\nbbb\n\n", "### C\n\nccc\n"]
    assert [c.text for c in Headers(min=0, levels=(1, 2)).chunk(text)] == [
        "# A\n\naaa\n\n",
        "## B\n\nbbb\n\n### C\n\nccc\n",
    ]


def test_a_heading_that_does_not_cut_still_goes_with_what_follows_it():
    text = "# A\n\n" + "a" * 50 + "\n\n### C\n\n" + "c" * 50 + "\n"
    chunks = Headers(80, min=0, levels=(1,)).chunk(text)
    assert [chunk.text[:5] for chunk in chunks] == ["# A\n\n", "### C"]


def test_an_oversize_table_is_cut_at_rows_and_its_head_is_only_in_the_prefix():
    head = "| key | value |\n|-----|-------|\n"
    rows = [f"| {number:03} | {'v' * 20} |\n" for number in range(30)]
    text = "# T\n\n" + head + "".join(rows)
    chunks = Headers(300, oversize="split").chunk(text)
    assert len(chunks) > 2
    assert "".join(chunk.text for chunk in chunks) == text
    assert chunks[0].prefix == ""
    assert all(chunk.prefix == head for chunk in chunks[1:])
    assert all(chunk.text.startswith("| ") and chunk.text.endswith("|\n") for chunk in chunks[1:])
    assert all(len(chunk.text) <= 300 for chunk in chunks)
    assert chunks[1].indexed_text == head + chunks[1].text
    assert [chunk.text for chunk in Headers(300).chunk(text)] == [text]


def test_oversize_text_is_cut_at_sentence_ends():
    text = "Dr. Who came. " * 40
    chunks = Headers(100, oversize="split").chunk(text)
    assert all(chunk.text.startswith("Dr. Who") and len(chunk.text) <= 100 for chunk in chunks)


def test_one_endless_word_is_cut_in_bounded_time(shared):
    path = shared("cases/markdown/44_long_line.md")
    text = path.read_bytes().decode()
    for unit, limit in (("characters", 500), ("tokens", 200)):
        chunks = Headers(limit, unit=unit, oversize="split").chunk(text)
        assert "".join(chunk.text for chunk in chunks) == text
        assert all((len(c.text) if unit == "characters" else tokens.count(c.text)) <= limit * 1.05 for c in chunks)


def test_tokens_as_unit():
    text = "\n\n".join(["some words in a paragraph of ten tokens or so"] * 40)
    chunks = Headers(50, unit="tokens").chunk(text)
    assert len(chunks) > 5
    assert all(chunk.token_count <= 50 for chunk in chunks)


def test_the_study_by_hand():
    text = (
        "intro\n\n# A\n\n"
        + "a" * 1200
        + "\n\n"
        + "b" * 400
        + "\n\n## B\n\nshort\n\n## C\n\n"
        + "c" * 200
        + "\n\n## D\n"
    )
    chunks = Headers(dialect="study").chunk(text)
    # "intro" is under 100 characters and joins its neighbour, whose path is longer; so does "## B".
    assert [chunk.text for chunk in chunks] == [
        "intro\n\n# A\n\n" + "a" * 1200,
        "b" * 400,
        "## B\n\nshort\n\n## C\n\n" + "c" * 200 + "\n\n## D",
    ]
    assert [chunk.path for chunk in chunks] == [("A",), ("A",), ("A", "C")]


def test_published_counts_of_the_docs(shared):
    study = Headers(dialect="study")
    for folder, count in (("data/laravel-docs", 3860), ("data/angular-docs", 2310)):
        documents = read_folder(shared(folder))
        assert sum(len(study.chunk(document)) for document in documents) == count


def test_repeated_text_has_rising_offsets(shared):
    text = shared("cases/markdown/40_repeated_text.md").read_bytes().decode()
    for chunker in (Headers(60, min=0), Headers(60, min=0, oversize="split")):
        starts = [chunk.start_index for chunk in chunker.chunk(text)]
        assert starts == sorted(set(starts))


def test_blank_documents_have_no_chunks(shared):
    text = shared("cases/markdown/46_empty_ws.md").read_bytes().decode()
    for dialect in ("commonmark", "study"):
        assert Headers(dialect=dialect).chunk(text) == []
        assert Headers(dialect=dialect).chunk("") == []


def test_habits_of_other_chunkers():
    chunker = Headers(max=1500)
    (first,) = chunker("# A\n\ntext")
    assert [first] == chunker.chunk("# A\n\ntext") == chunker.chunk_batch(["# A\n\ntext"])[0]
    assert first.to_dict() == {
        "document": "document",
        "index": 0,
        "text": "# A\n\ntext",
        "path": ["A"],
        "spans": [[0, 9]],
        "tokens": 4,
    }
    assert str(chunker) == "headers"
    assert Headers(1000, dialect="study").to_dict()["max"] == 1000


@pytest.mark.parametrize("wrong", [{"max": 0}, {"min": -1}, {"unit": "words"}, {"levels": (0,)}, {"dialect": "gfm"}])
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(SpecError, match=f"{next(iter(wrong))}"):
        Headers(**wrong)
