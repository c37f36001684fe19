"""The shared cases of Markdown that breaks chunkers."""

import json

import pytest

from ragtrial.documents.markdown import read_markdown

FOLDER = "cases/markdown"
RENDERED = {
    # The case allows titles raw or rendered; ours are rendered.
    "Important <!-- TODO -->": "Important",
    "[Link](http://x.y/#a) and `a # b`": "Link and a # b",
}


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads((shared(FOLDER) / "cases.json").read_text(encoding="utf-8"))["cases"]


@pytest.fixture(scope="module")
def documents(shared, cases):
    texts = {case["id"]: (shared(FOLDER) / case["file"]).read_bytes().decode() for case in cases}
    return {name: read_markdown(text, name) for name, text in texts.items()}


def test_all_cases_are_there(cases):
    assert len(cases) >= 24


def test_headings(cases, documents):
    for case in cases:
        found = [heading._asdict() for heading in documents[case["id"]].headings]
        expected = [
            {**heading, "title": RENDERED.get(heading["title"], heading["title"])} for heading in case["headings"]
        ]
        assert found == expected, case["id"]


def test_paths(cases, documents):
    for case in cases:
        for name, paragraph in case["paragraphs"].items():
            path = [RENDERED.get(title, title) for title in paragraph["path"]]
            assert list(documents[case["id"]].path_at(paragraph["start"])) == path, (case["id"], name)


def test_nothing_is_lost_and_nothing_else_is_a_heading(cases, documents):
    for case in cases:
        document = documents[case["id"]]
        assert len(document.text) == case["n_chars"]
        kept = [document.text[block.start : block.end] for block in document.blocks]
        for text in case["must_keep"]:
            assert any(text in block for block in kept), (case["id"], text)
        assert not {heading.title for heading in document.headings} & set(case["not_headings"]), case["id"]


@pytest.mark.parametrize("dialect", ["commonmark", "study"])
def test_every_case_verifies(cases, documents, dialect):
    for case in cases:
        document = read_markdown(documents[case["id"]].text, dialect=dialect)
        assert document.verify() == [], case["id"]
