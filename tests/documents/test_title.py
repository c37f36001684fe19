"""What a document is called."""

from types import MappingProxyType

import pytest

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.model import Document
from ragtrial.documents.title import below_title, document_title, title_heading


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# Guide\n\nText\n\n## Part\n\n### Deeper\n", "Guide"),
        ("Text first.\n\n# Guide\n\n## Part\n", "Guide"),
        ("Guide\n=====\n\nText\n", "Guide"),
        ("# Guide\n\n# Other\n", None),
        ("## Part\n\n# Guide\n", None),
        ("## Part\n\nText\n", None),
        ("#\n\n## Part\n", None),
        ("Text only.\n", None),
        ("", None),
    ],
)
def test_the_title_heading_is_the_first_and_the_only_one_of_level_1(text, heading):
    document = read_markdown(text, id="a/b.md")
    assert title_heading(document) == heading
    assert document_title(document) == (heading or "a/b.md")


@pytest.mark.parametrize(
    ("given", "title"),
    [("From  the\nmeta", "From the meta"), (2024, "2024"), (" ", "Guide"), (None, "Guide"), (["a"], "Guide")],
)
def test_metadata_come_first(given, title):
    read = read_markdown("# Guide\n\ntext\n", id="x")
    document = Document(read.id, read.text, read.blocks, meta=MappingProxyType({"title": given}))
    assert document_title(document) == title


def test_front_matter_gives_a_title():
    assert document_title(read_markdown("---\ntitle: Signals\n---\n\n# Angular signals\n")) == "Signals"


def test_paths_lose_the_title_heading_only():
    assert below_title(("Guide", "Part"), "Guide") == ("Part",)
    assert below_title(("Guide",), "Guide") == ()
    assert below_title(("Part", "Guide"), "Guide") == ("Part", "Guide")
    assert below_title(("Part",), None) == ("Part",)
    assert below_title((), "Guide") == ()
