"""A paper as flat text with the tree of its section names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.datasets.qasper.flat import section_path, to_flat


def paper(*sections, title="A  title ", abstract="Abstract text."):
    full_text = [{"section_name": name, "paragraphs": list(paragraphs)} for name, *paragraphs in sections]
    return {"title": title, "abstract": abstract, "full_text": full_text, "qas": []}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Method", ("Method",)),
        (" Method  one ::: Data\n", ("Method one", "Data")),
        ("A:::B ::: C", ("A", "B", "C")),
        (" :::  ::: B", ("B",)),
        ("A ::: ", ("A",)),
        (" ::: ", ()),
        ("", ()),
        (None, ()),
    ],
)
def test_names_are_split_into_titles(name, path):
    assert section_path(name) == path


def test_paragraphs_are_the_content_and_names_the_tree():
    flat = to_flat(
        paper(("One", " First. ", "", "Second.\n"), ("One ::: Deep", "Third."), ("Empty",), (None, "Fourth.")), "p"
    )
    document = flat.document
    assert document.text == "Abstract text.\n\nFirst.\n\nSecond.\n\nThird.\n\nFourth."
    assert [document.text[start:end] for start, end in document.paragraphs] == document.text.split("\n\n")
    assert [(s.title, s.level, s.path, s.first, s.last) for s in document.sections] == [
        ("Abstract", 1, ("Abstract",), 0, 1),
        ("One", 1, ("One",), 1, 3),
        ("Deep", 2, ("One", "Deep"), 3, 4),
        ("", 1, (), 4, 5),
    ]
    assert document.headings == ()
    assert document.meta["title"] == "A title"
    assert document.path_at(document.text.index("Third")) == ("One", "Deep")
    assert document.verify() == []
    assert flat.headings == {("Abstract",): 0, ("One",): 1, ("One", "Deep"): 2, ("Empty",): 3, (): 3}
    assert flat.empty == {("Empty",)}


def test_deep_names_keep_their_path_and_get_level_four():
    (_, section) = to_flat(paper(("A ::: B ::: C ::: D ::: E", "x")), "p").document.sections
    assert (section.level, section.path) == (4, ("A", "B", "C", "D", "E"))


def test_a_name_that_is_there_twice_is_its_first_section():
    flat = to_flat(paper(("A", "x"), ("B", "y"), ("A", "z")), "p")
    assert flat.headings["A",] == 1
    assert [section.path for section in flat.document.sections] == [("Abstract",), ("A",), ("B",), ("A",)]


def test_a_paper_without_any_text():
    flat = to_flat(paper(("A",), abstract=" "), "p")
    assert flat.document.text == ""
    assert flat.document.paragraphs == ()
    assert flat.headings == {("Abstract",): 0, ("A",): 0}


names = st.sampled_from(["A", "A ::: B", "A ::: B ::: C ::: D ::: E", "", " ::: ", None, "C"])
paragraphs = st.lists(st.sampled_from(["", " \n", "Text.", " Two\n\nblocks ", "\u3000漢字\n"]), max_size=3)


@given(st.lists(st.tuples(names, paragraphs), max_size=6), st.sampled_from(["", "Abstract."]))
def test_the_document_is_always_verified(sections, abstract):
    flat = to_flat(paper(*((name, *texts) for name, texts in sections), abstract=abstract), "p")
    assert flat.document.verify() == []
    assert all(0 <= number <= len(flat.document.sections) for number in flat.headings.values())
    kept = [text.strip() for text in [abstract, *(text for _, texts in sections for text in texts)] if text.strip()]
    assert [flat.document.text[start:end] for start, end in flat.document.paragraphs] == kept
