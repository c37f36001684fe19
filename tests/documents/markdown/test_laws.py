"""Laws that hold for any text, in both dialects."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown, scan
from ragtrial.documents.markdown.lines import split_lines
from ragtrial.documents.parts import Kind

MARKS = "#=-*_+>`~|:[]()<>!&\\$ \t\n\n\n\r0123.abé中\ufeff\u2028\x0b{}\"'/"
texts = st.text(st.sampled_from(MARKS), max_size=120) | st.text(max_size=60)
dialects = st.sampled_from(["commonmark", "study"])


@settings(max_examples=400, deadline=None)
@given(text=texts, dialect=dialects, math=st.booleans())
def test_every_document_verifies(text, dialect, math):
    document = read_markdown(text, dialect=dialect, math=math)
    assert document.text == text
    assert tuple(scan(text, dialect, math=math)) == document.blocks
    faults = document.verify()
    if dialect == "study":
        # The study's parser skips lines of any white space, also of such that CommonMark takes for text.
        faults = [fault for fault in faults if "belongs to no block" not in fault]
    assert faults == []
    for offset in range(len(text) + 1):
        document.path_at(offset)


@settings(max_examples=300, deadline=None)
@given(text=texts, dialect=dialects)
def test_blocks_are_whole_lines_and_only_white_space_is_in_none(text, dialect):
    position = 0
    for block in scan(text, dialect):
        assert text[position : block.start].strip("\ufeff").strip() == ""
        assert block.start == 0 or text[block.start - 1] in "\r\n\ufeff"
        assert block.end == len(text) or text[block.end] in "\r\n"
        assert text[block.start : block.end].strip(" \t\r\n")
        position = block.end
    assert text[position:].strip("\ufeff").strip() == ""


@settings(max_examples=300, deadline=None)
@given(text=texts, dialect=dialects, ending=st.sampled_from(["\r\n", "\r"]))
def test_line_ends_change_nothing_but_offsets(text, dialect, ending):
    text = text.replace("\r", "")
    other = text.replace("\n", ending)

    def moved(offset):
        return offset + text.count("\n", 0, offset) * (len(ending) - 1)

    expected = [block._replace(start=moved(block.start), end=moved(block.end)) for block in scan(text, dialect)]
    assert scan(other, dialect) == expected


@settings(max_examples=200, deadline=None)
@given(text=texts, dialect=dialects)
def test_titles_and_levels(text, dialect):
    for block in scan(text, dialect):
        if block.kind is Kind.HEADING:
            assert 1 <= block.level <= 6
            assert block.title == block.title.strip()
            assert "\n" not in block.title
            assert "\r" not in block.title
        else:
            assert (block.level, block.title) == (0, "")


@settings(max_examples=200, deadline=None)
@given(text=st.text(st.sampled_from("ab\r\n\u2028\x0b\x85"), max_size=40))
def test_lines_and_their_offsets(text):
    found = split_lines(text)
    assert found.lines == text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(found.lines):
        start = found.start(number)
        assert text[start : start + len(line)] == line
        assert start == 0 or text[start - 1] in "\r\n"


@pytest.mark.parametrize(
    "mark", [">", "- ", "* ", "1. ", "> - ", "[", "![", "`", "*", "<!--", "[a](", "\\", "# ", "|", "$$"]
)
@pytest.mark.parametrize("dialect", ["commonmark", "study"])
def test_deep_nesting_and_long_lines_are_read(mark, dialect):
    many = mark * 20_000
    document = read_markdown(f"# {many}\n\n{many}a\n{many}\n\n{many}", dialect=dialect)
    assert document.verify() == []
    assert document.headings[0].level == 1
