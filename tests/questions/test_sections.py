"""Sections by every name that authors use for them."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from ragtrial.documents.markdown import read_markdown
from ragtrial.questions.sections import SectionIndex, Target, content_of, slug

GUIDE = """# The Guide

Welcome.

- [First](#first-steps)

<a name="start"></a>
## First steps

Do this.

### Details

Do that.

## Empty

### Below it

Text below.

## First steps

Again.

## Опции {#opts}

Текст.
"""


def corpus():
    return [
        read_markdown(GUIDE, id="docs/guide.md"),
        read_markdown("# Routing\n\nRoutes.\n\n## Groups & `names`\n\nGrouped.\n", id="docs/basics/routing.md"),
        read_markdown("# Start\n\nHello.\n", id="docs/basics/index.md"),
        read_markdown("# Other\n\nOther.\n", id="other/routing.md"),
    ]


def named(target):
    return None if target is None else (target.document.id, target.title)


@pytest.mark.parametrize(
    ("link", "source", "expected"),
    [
        ("#start", "docs/guide.md", ("docs/guide.md", "First steps")),
        ("#first-steps", "docs/guide.md", ("docs/guide.md", "First steps")),
        ("#details", "docs/guide.md", ("docs/guide.md", "Details")),
        ("#Details", "docs/guide.md", ("docs/guide.md", "Details")),
        ("#opts", "docs/guide.md", ("docs/guide.md", "Опции")),
        ("#%D0%BE%D0%BF%D1%86%D0%B8%D0%B8", "docs/guide.md", ("docs/guide.md", "Опции")),
        ("#nowhere", "docs/guide.md", None),
        ("guide.md", "docs/other.md", ("docs/guide.md", "The Guide")),
        ("../guide.md#details", "docs/basics/routing.md", ("docs/guide.md", "Details")),
        ("./routing#groups--names", "docs/basics/index.md", ("docs/basics/routing.md", "Groups & names")),
        ("routing.html", "other/x.md", ("other/routing.md", "Other")),
        ("routing", "elsewhere/x.md", None),
        ("/docs/{{version}}/guide#details", "docs/basics/routing.md", ("docs/guide.md", "Details")),
        ("/docs/11.x/basics/routing/", "docs/guide.md", ("docs/basics/routing.md", "Routing")),
        ("/en/latest/basics/", "docs/guide.md", ("docs/basics/index.md", "Start")),
        ("basics", "docs/guide.md", ("docs/basics/index.md", "Start")),
        ("guide.md?plain=1#details", "docs/x.md", ("docs/guide.md", "Details")),
        ("/api/guide", "docs/basics/routing.md", None),
        ("https://example.org/docs/guide", "docs/guide.md", None),
        ("//example.org/guide", "docs/guide.md", None),
        ("mailto:a@example.org", "docs/guide.md", None),
    ],
)
def test_links(link, source, expected):
    assert named(SectionIndex(corpus()).by_link(link, source)) == expected


@pytest.mark.parametrize(
    ("name", "document", "expected"),
    [
        ("docs/guide.md#details", None, ("docs/guide.md", "Details")),
        ("guide#details", None, ("docs/guide.md", "Details")),
        ("#details", "docs/guide.md", ("docs/guide.md", "Details")),
        ("guide > First steps > Details", None, ("docs/guide.md", "Details")),
        ("The Guide > details", None, ("docs/guide.md", "Details")),
        ("First steps > Details", "docs/guide.md", ("docs/guide.md", "Details")),
        ("docs/basics/routing.md > Groups &  Names", None, ("docs/basics/routing.md", "Groups & names")),
        ("guide > First steps", None, "there are 2 sections 'guide > First steps'"),
        ("guide > Nothing", None, "there is no section 'guide > Nothing'"),
        ("nowhere > Details", None, "there is no page 'nowhere'"),
        ("guide#nothing", None, "there is no section 'guide#nothing'"),
    ],
)
def test_names(name, document, expected):
    found = SectionIndex(corpus()).by_name(name, document)
    assert (named(found) if isinstance(found, Target) else found) == expected


@pytest.mark.parametrize("ending", ["pdf", "docx", "wikitext", "xhtml", "html.gz"])
def test_a_page_is_known_without_its_ending(ending):
    page = read_markdown("# Top\n\n## Lamps\n\nText.\n", id=f"guide.{ending}")
    assert named(SectionIndex([page]).by_name("guide > Lamps")) == (page.id, "Lamps")


def test_repeated_headings_are_numbered_as_github_does():
    index = SectionIndex(corpus())
    second = index.by_link("#first-steps-1", "docs/guide.md")
    span = content_of(second.document, second.section)
    assert second.document.text[span.start : span.end] == "Again."


def test_labels_of_other_formats():
    document = corpus()[1]
    labelled = replace(document, meta=MappingProxyType({"anchors": {"my label": document.text.index("## Groups")}}))
    index = SectionIndex([labelled])
    assert index.by_label("My Label").title == "Groups & names"
    assert index.by_label("none") is None
    assert index.by_link("#my label", labelled.id).title == "Groups & names"


def test_the_text_of_a_section_is_its_own():
    index = SectionIndex(corpus())

    def text(link):
        target = index.by_link(link, "docs/guide.md")
        span = content_of(target.document, target.section)
        return span and target.document.text[span.start : span.end]

    assert text("#start") == "Do this."
    # The anchor of the next heading belongs to nobody's text.
    assert text("#the-guide") == "Welcome.\n\n- [First](#first-steps)"
    assert text("#empty") == "Text below."
    assert content_of(read_markdown("# A\n\n## B\n", id="x"), 0) is None


def test_slugs():
    assert [slug(title) for title in ("Groups & `names`", "A_b - c", "Что это?", "  X  ")] == [
        "groups--names",
        "a_b---c",
        "что-это",
        "x",
    ]


def test_front_pages_are_told():
    assert Target(corpus()[2], None).is_front_page
    assert not Target(corpus()[2], 0).is_front_page
    assert not Target(corpus()[0], None).is_front_page
