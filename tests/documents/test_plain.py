from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.parts import Kind
from ragtrial.documents.plain import read_text


def texts(document):
    return [document.text[block.start : block.end] for block in document.blocks]


def test_blank_lines_separate_paragraphs():
    document = read_text("One\nstill one\n \t\nTwo\n\n\n", id="a.txt")
    assert texts(document) == ["One\nstill one", "Two"]
    assert {block.kind for block in document.blocks} == {Kind.PARAGRAPH}
    assert document.headings == ()
    assert document.verify() == []


def test_every_line_end_counts_and_a_crlf_is_one():
    assert texts(read_text("a\r\nb\r\n\r\nc\rd\r\re", id="x")) == ["a\r\nb", "c\rd", "e"]


def test_a_byte_order_mark_and_leading_blanks_belong_to_no_block():
    assert texts(read_text("\ufeff \n\n  a\n", id="x")) == ["  a"]
    assert texts(read_text("\ufeffa", id="x")) == ["a"]


def test_a_blank_text_has_no_blocks():
    for text in ("", "\ufeff", " ", "\n", "\r\n \t\r\n", "\ufeff\n\n"):
        assert read_text(text, id="x").blocks == ()


def by_lines(text):
    """The definition, line by line: maximal runs of lines that are not blank."""
    blocks, start, end, position = [], None, 0, 0
    for line in text.removeprefix("\ufeff").replace("\r\n", "\x00\n").replace("\r", "\n").splitlines(keepends=True):
        length = len(line)
        offset = position + len(text) - len(text.removeprefix("\ufeff"))
        content = line.replace("\x00", "").rstrip("\n")
        if content.strip(" \t"):
            start = offset if start is None else start
            end = offset + len(content)
        elif start is not None:
            blocks.append((start, end))
            start = None
        position += length
    return [*blocks, (start, end)] if start is not None else blocks


@given(st.text(st.sampled_from("ab \t\r\n\ufeff"), max_size=30))
def test_blocks_are_the_runs_of_lines_that_are_not_blank(text):
    document = read_text(text, id="x")
    assert [(block.start, block.end) for block in document.blocks] == by_lines(text)
    assert document.verify() == []
