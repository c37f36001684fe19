"""Front matter is a block at the very start, and data in ``meta``."""

import datetime as dt

import pytest

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.parts import Kind


def kinds(document):
    return [block.kind for block in document.blocks]


@pytest.mark.parametrize(
    ("text", "meta"),
    [
        ("---\ntitle: A # no heading\ntags: [x, y]\n---\n# B\n", {"title": "A", "tags": ["x", "y"]}),
        ("\ufeff---\ntitle: A\n---\n# B\n", {"title": "A"}),
        ("---  \r\ntitle: A\r\n---\t\r\n# B\r\n", {"title": "A"}),
        ("---\rtitle: A\r---\r# B\r", {"title": "A"}),
        ("---\n# a comment, no heading\ndate: 2026-01-02\n...\n# B\n", {"date": dt.date(2026, 1, 2)}),
        ("---\n1: x\n2.5: y\n---\n# B\n", {"1": "x", "2.5": "y"}),
        ('+++\ntitle = "A"\n[extra]\nn = 1\n+++\n# B\n', {"title": "A", "extra": {"n": 1}}),
        ("---\n---\n# B\n", {}),
    ],
)
def test_data_is_read(text, meta):
    document = read_markdown(text)
    assert document.meta == meta
    assert kinds(document) == [Kind.FRONT_MATTER, Kind.HEADING]
    assert [heading.title for heading in document.headings] == ["B"]
    assert document.verify() == []
    first = document.blocks[0]
    assert first.start == text.startswith("\ufeff")
    assert document.text[first.end - 3 : first.end].strip(" \t") != ""


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# B\n\n---\n",  # a blank line after it: a thematic break, as in Pandoc
        "---\ntitle: A\n# B\n",
        "+++\ntitle = 1\n# B\n",
        " ---\ntitle: A\n---\n# B\n",
        "\n---\ntitle: A\n---\n# B\n",
        "---- \ntitle: A\n---\n# B\n",
        "x\n\n---\ntitle: A\n---\n# B\n",
    ],
)
def test_anything_else_is_no_front_matter(text):
    document = read_markdown(text)
    assert document.meta == {}
    assert Kind.FRONT_MATTER not in kinds(document)
    assert "B" in [heading.title for heading in document.headings]


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("---\na: [1\n---", "line 3"),
        ("---\na: b: c\n---", "line 2"),
        ("---\n- a\n- b\n---", "but a list"),
        ("---\njust words\n---", "but a str"),
        (f"---\n{BOMB}---", "alias"),
        ("---\na: &x {k: v}\nb:\n  <<: *x\n---", "alias"),
        ("---\na: " + "[" * 5_000 + "\n---", "nested too deeply"),
        ("---\na: " + "1" * 5_000 + "\n---", "not valid YAML"),
        ("---\na: 2026-99-99\n---", "not valid YAML"),
        ("---\na: !!timestamp x\n---", "not valid YAML"),
        ("---\na: !!int ''\n---", "not valid YAML"),
        ("---\na: !!bool x\n---", "not valid YAML"),
        ("---\na: !!python/object/apply:os.system [ls]\n---", "not valid YAML"),
        ("---\n? [a]\n: b\n---", "not valid YAML"),
        ("---\na: \x07\n---", "not valid YAML"),
        ("---\na: " + "x" * 300_000 + "\n---", "300004 characters"),
        ("+++\na = \n+++", "not valid TOML"),
        ("+++\na = 1\na = 2\n+++", "not valid TOML"),
        ("+++\na = " + "[" * 5_000 + "\n+++", "nested too deeply"),
    ],
)
def test_faulty_front_matter_is_told_and_does_no_harm(block, says):
    document = read_markdown(f"{block}\n\n# B\n")
    (error,) = document.meta.values()
    assert set(document.meta) == {"front_matter_error"}
    assert says in error
    assert error.startswith("The front matter ")
    assert error.endswith(".")
    assert kinds(document) == [Kind.FRONT_MATTER, Kind.HEADING]


def test_meta_cannot_be_changed():
    document = read_markdown("---\na: 1\n---\n# B {#b}\n")
    with pytest.raises(TypeError):
        document.meta["a"] = 2
    with pytest.raises(TypeError):
        document.meta["heading_ids"][0] = "c"


def test_study_reads_what_its_rule_reads():
    text = "\ufeff --- \na: 1\n\n---\n# B\n"
    document = read_markdown(text, dialect="study")
    assert document.meta == {"a": 1}
    assert document.blocks[0].start == 0
    assert kinds(document) == [Kind.FRONT_MATTER, Kind.HEADING]
    assert kinds(read_markdown("+++\na = 1\n+++\n", dialect="study")) == [Kind.PARAGRAPH]
