import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.parts import Kind, Link
from ragtrial.documents.writer import Writer


def test_a_text_is_built_of_blocks_with_one_blank_line_between_them():
    writer = Writer()
    writer.open(Kind.HEADING, level=2)
    writer.text("  A \n title ")
    writer.close()
    writer.text(" one ")
    writer.begin_link("x#y")
    writer.text("two  three")
    writer.end_link()
    writer.text(" four")
    writer.open(Kind.QUOTE, prefix="> ")
    writer.text("q")
    writer.break_line()
    writer.text("r")
    document = writer.document("d")
    assert document.text == "## A title\n\none two three four\n\n> q\n> r"
    assert [block.kind for block in document.blocks] == [Kind.HEADING, Kind.PARAGRAPH, Kind.QUOTE]
    assert document.headings[0].title == "A title"
    assert document.meta["links"] == (Link(16, 25, "x#y"),)
    assert document.verify() == []


def test_a_block_without_text_leaves_no_trace_and_its_anchor_waits():
    writer = Writer()
    writer.open(Kind.LIST)
    writer.anchor("a")
    writer.text(" \n ")
    writer.close()
    writer.code("\n\n")
    writer.begin_link("nowhere")
    writer.end_link()
    writer.open(Kind.HEADING, level=9)
    writer.text("Deep")
    writer.close()
    writer.anchor("end")
    document = writer.document("d")
    assert document.text == "###### Deep"
    assert document.headings[0].level == 9
    assert document.sections[0].level == 4
    assert dict(document.meta) == {"anchors": {"a": 0, "end": 11}}


def test_code_keeps_its_lines_and_its_fence_is_long_enough():
    writer = Writer()
    writer.at = 7
    writer.code("\n\nx = '```'\r\n\n  y\n\n", language="py", first=5)
    document = writer.document("d")
    assert document.text == "````py\nx = '```'\n\n  y\n````"
    assert document.line_at(document.text.index("x =")) == 7
    assert document.line_at(document.text.index("y\n`")) == 9


def test_places_lead_back():
    writer = Writer("page")
    for number in (1, 2, 5):
        writer.at = number
        writer.text(f"page {number}")
        writer.close()
    document = writer.document("d")
    assert document.place_at(document.text.index("page 5")) == ("page", 5)
    assert document.locate(0) == "d, page 1"
    assert document.line_at(document.text.index("page 2")) == 3, "the line of the text, where the source has none"


def test_a_text_that_is_its_source_needs_no_places():
    document = read_markdown("a\r\n\r\nb", "m")
    assert document.places is None
    assert document.place_at(5) == ("line", 3)
    assert document.locate(5) == "m:3"


PIECES = st.text(st.sampled_from("ab \n\t\u2028\u00a0é中"), max_size=6)


@pytest.mark.parametrize("kind", [Kind.PARAGRAPH, Kind.HEADING, Kind.LIST])
@given(pieces=st.lists(st.tuples(st.sampled_from("tblacook"), PIECES, st.integers(1, 9)), max_size=12))
def test_whatever_is_written_offsets_are_exact(kind, pieces, laws):
    writer = Writer()
    for action, text, number in pieces:
        writer.at = number
        if action == "t":
            writer.text(text)
        elif action == "b":
            writer.break_line()
        elif action == "l":
            writer.begin_link(text)
        elif action == "a":
            writer.anchor(text)
        elif action == "c":
            writer.code(text, first=number)
        elif action == "k":
            writer.end_link()
        else:
            writer.open(kind, level=number)
    document = writer.document("d")
    assert document.verify() == []
    assert "".join("".join(text for action, text, _ in pieces if action in "tc").split()) == "".join(
        "".join(line.strip("#`- ") for line in document.text.split("\n")).split()
    )
    for link in document.meta.get("links", ()):
        assert document.text[link.start : link.end].strip() == document.text[link.start : link.end] != ""
