"""The study's dialect: METHODS section 2.1, points 1 to 8."""

import hashlib

import pytest

from ragtrial.documents.markdown import read_markdown, scan
from ragtrial.documents.parts import Kind

P, H, CODE, TABLE, LIST, QUOTE, RULE, FRONT = (
    Kind.PARAGRAPH,
    Kind.HEADING,
    Kind.CODE,
    Kind.TABLE,
    Kind.LIST,
    Kind.QUOTE,
    Kind.RULE,
    Kind.FRONT_MATTER,
)


def blocks(text):
    return [(block.kind, text[block.start : block.end]) for block in scan(text, "study")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # 1: front matter
        (" --- \na\n\n---\nb", [(FRONT, " --- \na\n\n---"), (P, "b")]),
        ("\ufeff---\n---\n", [(FRONT, "\ufeff---\n---")]),
        ("---\na\n", [(RULE, "---"), (P, "a")]),
        ("\n---\na\n---\n", [(RULE, "---"), (H, "a\n---")]),
        # 2: fences
        ("   ```x\n# a\n```\n~~~\n```\n~~~~ \nb", [(CODE, "   ```x\n# a\n```"), (CODE, "~~~\n```\n~~~~ "), (P, "b")]),
        ("``` a`b\n# c\n", [(P, "``` a`b"), (H, "# c")]),
        ("    ```\n# c\n", [(P, "    ```"), (H, "# c")]),
        ("```\na\n    ```\n\tb\n", [(CODE, "```\na\n    ```\n\tb\n")]),
        # 3: headings
        ("   # a\n    # b\n", [(H, "   # a"), (P, "    # b")]),
        ("a\n---\nb\n = \n", [(H, "a\n---"), (H, "b\n = ")]),
        ("a\nb\n---\n", [(P, "a\nb\n---")]),
        ("- a\n---\n", [(LIST, "- a"), (RULE, "---")]),
        ("> a\n---\n", [(QUOTE, "> a"), (RULE, "---")]),
        ("***\n---\n", [(RULE, "***"), (RULE, "---")]),
        ("<!-- a\n# b\n-->\n", [(P, "<!-- a"), (H, "# b"), (P, "-->")]),
        ("####### a\n#b\n##\n", [(P, "####### a"), (P, "#b"), (P, "##")]),
        # 4: tables
        ("| a |\n| --- |\n| b |\nc\n", [(TABLE, "| a |\n| --- |\n| b |"), (P, "c")]),
        ("a | b\n :-|-: \nc | d\n\ne", [(TABLE, "a | b\n :-|-: \nc | d"), (P, "e")]),
        ("a | b\nc | d\n", [(P, "a | b"), (P, "c | d")]),
        ("a\n-|-\n", [(P, "a"), (P, "-|-")]),
        # 5: lists
        ("- a\n  b\n\n\n* c\n\n   d\ne", [(LIST, "- a\n  b\n\n\n* c\n\n   d"), (P, "e")]),
        ("1. a\n2) b\nc\n", [(LIST, "1. a\n2) b"), (P, "c")]),
        ("  - a\n  b\n", [(LIST, "  - a"), (P, "  b")]),
        ("- a\n\nb\n", [(LIST, "- a"), (P, "b")]),
        ("-a\n", [(P, "-a")]),
        ("-\n", [(P, "-")]),
        # 6: quotes
        ("  > a\n>b\nc\n", [(QUOTE, "  > a\n>b"), (P, "c")]),
        # 7: thematic breaks, which a list item comes before
        ("***\n___\n- - -\n", [(RULE, "***"), (RULE, "___"), (LIST, "- - -")]),
        # 8: paragraphs
        ("a\n#b\nc\n", [(P, "a"), (P, "#b\nc")]),
        ("a\n>b\n", [(P, "a"), (QUOTE, ">b")]),
        ("a\n```\nb\n```\n", [(P, "a"), (CODE, "```\nb\n```")]),
        ("a\n7. b\n", [(P, "a"), (LIST, "7. b")]),
        ("a\nb|c\nd\n", [(P, "a"), (P, "b|c\nd")]),
        ("a\n***\nb\n", [(P, "a\n***\nb")]),
        ("    a\n\n    b\n", [(P, "    a"), (P, "    b")]),
        # Line ends
        ("# a\r\rb\r\nc\r", [(H, "# a"), (P, "b\r\nc")]),
        ("a\u2028# b\n", [(P, "a\u2028# b")]),
        ("\ufeff# a\n", [(P, "\ufeff# a")]),
        ("", []),
        ("\n \t\n", []),
    ],
)
def test_blocks(text, expected):
    assert blocks(text) == expected


def test_levels_and_titles_as_written():
    text = "## A *b* ## \n\n c \n===\n\n###\td#\n\n# e # #\n"
    found = [(heading.level, heading.title) for heading in read_markdown(text, dialect="study").headings]
    assert found == [(2, "A *b*"), (1, "c"), (3, "d#"), (1, "e #")]


# Files with a table of one column, which the package reads as paragraphs: its pattern for the delimiter row
# wants a second cell. METHODS asks only for a "|" (and counts the same chunks).
ONE_COLUMN = {"authentication.md", "cache.md", "middleware.md", "passport.md", "scheduling.md"}


@pytest.mark.parametrize(
    ("folder", "left_out", "blocks", "digest"),
    [
        ("data/laravel-docs", ONE_COLUMN, 23_988, "b7a8acef80780eeb8081df5cb17ab7f41afafcec0b50d44ac292a37407ebb574"),
        ("data/angular-docs", (), 11_241, "f0e4cc771067f5321e7315c2f7992265cc83cd46bba5bc1f5a34fd838af7279f"),
    ],
)
def test_blocks_of_real_documents_are_those_of_the_study(shared, folder, left_out, blocks, digest):
    """The digests are of the blocks that mdkeychunker 0.4.2, the study's package, makes of these files."""
    found = hashlib.sha256()
    count = 0
    for path in sorted(shared(folder).rglob("*.md")):
        document = read_markdown(path.read_bytes().decode(), dialect="study")
        assert document.verify() == []
        if path.name not in left_out:
            for block in document.blocks:
                content = document.text[block.start : block.end]
                found.update(f"{block.kind.name} {block.level} {block.title}\n{content}\n".encode())
            count += len(document.blocks)
    assert count == blocks
    assert found.hexdigest() == digest
