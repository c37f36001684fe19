"""The default dialect, rule by rule: where blocks end, and what is a heading."""

import pytest

from ragtrial.documents.markdown import read_markdown, scan
from ragtrial.documents.parts import Kind
from ragtrial.errors import UsageError

P, H, CODE, TABLE, LIST, QUOTE, RULE, HTML, MATH = (
    Kind.PARAGRAPH,
    Kind.HEADING,
    Kind.CODE,
    Kind.TABLE,
    Kind.LIST,
    Kind.QUOTE,
    Kind.RULE,
    Kind.HTML,
    Kind.MATH,
)


def blocks(text, **options):
    document = read_markdown(text, **options)
    assert document.verify() == []
    return [(block.kind, text[block.start : block.end]) for block in document.blocks]


def headings(text, **options):
    return [(heading.level, heading.title) for heading in read_markdown(text, **options).headings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Thematic breaks and Setext headings
        ("a\n\n---\nb\n", [(P, "a"), (RULE, "---"), (P, "b")]),
        ("a\n---\nb\n", [(H, "a\n---"), (P, "b")]),
        ("a\n- - -\nb\n", [(P, "a"), (RULE, "- - -"), (P, "b")]),
        ("a\n  b\n  ===  \nc", [(H, "a\n  b\n  ===  "), (P, "c")]),
        ("a\n    ===\n", [(P, "a\n    ===")]),
        ("a\n=== =\n", [(P, "a\n=== =")]),
        ("===\n", [(P, "===")]),
        ("    a\n===\n", [(CODE, "    a"), (P, "===")]),
        # Code
        ("a\n    b\n", [(P, "a\n    b")]),
        ("    a\n\n\n \t b\n\nc\n", [(CODE, "    a\n\n\n \t b"), (P, "c")]),
        ("\tx\n  \ty\n", [(CODE, "\tx\n  \ty")]),
        ("```\n# a\n```\nb", [(CODE, "```\n# a\n```"), (P, "b")]),
        ("````\n```\n````  \n", [(CODE, "````\n```\n````  ")]),
        ("~~~ x ` y\n```\n~~~\n", [(CODE, "~~~ x ` y\n```\n~~~")]),
        ("``` a`\n# b\n", [(P, "``` a`"), (H, "# b")]),
        ("```\na\n    ```\n\n\n", [(CODE, "```\na\n    ```")]),
        ("a\n```\nb", [(P, "a"), (CODE, "```\nb")]),
        # HTML
        ("<script>\n\n# a\n</script> # b\n# c\n", [(HTML, "<script>\n\n# a\n</script> # b"), (H, "# c")]),
        ("<!-- a\n\n# b\n--> c\nd\n", [(HTML, "<!-- a\n\n# b\n--> c"), (P, "d")]),
        ("<!-->\n# a\n", [(HTML, "<!-->"), (H, "# a")]),
        ("<?php\n\n# a ?>\n# b\n", [(HTML, "<?php\n\n# a ?>"), (H, "# b")]),
        ("<!DOCTYPE\n\n# a>\n# b\n", [(HTML, "<!DOCTYPE\n\n# a>"), (H, "# b")]),
        ("<![CDATA[\n\n# a\n]]>\n# b\n", [(HTML, "<![CDATA[\n\n# a\n]]>"), (H, "# b")]),
        ("x\n<DIV\n# a\n\n# b\n", [(P, "x"), (HTML, "<DIV\n# a"), (H, "# b")]),
        ("</section>\n# a\n", [(HTML, "</section>\n# a")]),
        ('<my-tag a="b>" c>\n# a\n\n# b', [(HTML, '<my-tag a="b>" c>\n# a'), (H, "# b")]),
        ("<my-tag> x\n# a\n", [(P, "<my-tag> x"), (H, "# a")]),
        ("x\n<my-tag>\n# a\n", [(P, "x\n<my-tag>"), (H, "# a")]),
        ("<1>\n# a\n", [(P, "<1>"), (H, "# a")]),
        ("<divs\n# a\n", [(P, "<divs"), (H, "# a")]),
        # Quotes
        ("> a\nb\n\nc\n", [(QUOTE, "> a\nb"), (P, "c")]),
        ("> a\n===\n", [(QUOTE, "> a\n===")]),
        ("> a\n---\n", [(QUOTE, "> a"), (RULE, "---")]),
        ("> # a\nb\n", [(QUOTE, "> # a"), (P, "b")]),
        ("> ```\nb\n", [(QUOTE, "> ```"), (P, "b")]),
        (">     a\nb\n", [(QUOTE, ">     a"), (P, "b")]),
        ("> - a\nb\n", [(QUOTE, "> - a\nb")]),
        ("> | a |\n> |---|\nb\n", [(QUOTE, "> | a |\n> |---|"), (P, "b")]),
        ("> <div>\nb\n", [(QUOTE, "> <div>"), (P, "b")]),
        ("> a\n    b\n", [(QUOTE, "> a\n    b")]),
        ("> a\n\n> b\n", [(QUOTE, "> a"), (QUOTE, "> b")]),
        (">\na\n", [(QUOTE, ">"), (P, "a")]),
        ("a\n> b\n", [(P, "a"), (QUOTE, "> b")]),
        ("    > a\n", [(CODE, "    > a")]),
        # Lists
        ("- a\n- b\n\n\n- c\n\nd\n", [(LIST, "- a\n- b\n\n\n- c"), (P, "d")]),
        ("- a\n* b\n+ c\n", [(LIST, "- a"), (LIST, "* b"), (LIST, "+ c")]),
        ("1. a\n2. b\n3) c\n", [(LIST, "1. a\n2. b"), (LIST, "3) c")]),
        ("- a\n\n  b\n\n c\n", [(LIST, "- a\n\n  b"), (P, " c")]),
        ("- a\nb\n", [(LIST, "- a\nb")]),
        ("- a\n# b\n", [(LIST, "- a"), (H, "# b")]),
        ("- a\n---\n", [(LIST, "- a"), (RULE, "---")]),
        ("- # a\nb\n", [(LIST, "- # a"), (P, "b")]),
        ("- ```\n  # a\n  ```\n  b\nc\n", [(LIST, "- ```\n  # a\n  ```\n  b\nc")]),
        ("- ```\n\n# a\n", [(LIST, "- ```"), (H, "# a")]),
        ("-\n\n  a\n", [(LIST, "-"), (P, "  a")]),
        ("-\n  a\n", [(LIST, "-\n  a")]),
        ("-\n\n- a\n", [(LIST, "-\n\n- a")]),
        ("a\n-\n", [(H, "a\n-")]),
        ("a\n*\n", [(P, "a\n*")]),
        ("a\n* b\n", [(P, "a"), (LIST, "* b")]),
        ("a\n2. b\n", [(P, "a\n2. b")]),
        ("a\n1. b\n", [(P, "a"), (LIST, "1. b")]),
        ("1234567890. a\n", [(P, "1234567890. a")]),
        ("-a\n1.b\n", [(P, "-a\n1.b")]),
        ("- a\n  - b\n\n        code\n\nc\n", [(LIST, "- a\n  - b\n\n        code"), (P, "c")]),
        ("-\ta\n\n\tb\n\n  c\n", [(LIST, "-\ta\n\n\tb"), (P, "  c")]),
        ("- > a\nb\n\nc", [(LIST, "- > a\nb"), (P, "c")]),
        ("- a\n  ===\nb\n", [(LIST, "- a\n  ==="), (P, "b")]),
        ("* a *\n***\n", [(LIST, "* a *"), (RULE, "***")]),
        ("- - -\n", [(RULE, "- - -")]),
        ("- - a\nb\n\n  c\n\n    d\n", [(LIST, "- - a\nb\n\n  c\n\n    d")]),
        # Tables
        ("| a | b |\n|---|:-:|\n| 1\nc\n\nd\n", [(TABLE, "| a | b |\n|---|:-:|\n| 1\nc"), (P, "d")]),
        ("p\na | b\n--|--\n# h\n", [(P, "p"), (TABLE, "a | b\n--|--"), (H, "# h")]),
        ("a | b\n--|--|--\n", [(P, "a | b\n--|--|--")]),
        ("a \\| b\n--|--\n", [(P, "a \\| b\n--|--")]),
        ("| a |\n| - |\n> b\n", [(TABLE, "| a |\n| - |"), (QUOTE, "> b")]),
        ("| a |\n| - |\n2. b\n", [(TABLE, "| a |\n| - |"), (LIST, "2. b")]),
        ("| a |\n---\n", [(H, "| a |\n---")]),
        ("a|b\n-|-\n===\n---\n", [(TABLE, "a|b\n-|-\n==="), (RULE, "---")]),
        # Definitions
        ("[a]: /u\n===\nb\n", [(P, "[a]: /u"), (P, "===\nb")]),
        ("[a]: /u\n---\nb\n", [(P, "[a]: /u"), (RULE, "---"), (P, "b")]),
        ("[a]: /u\nb\n===\n", [(P, "[a]: /u"), (H, "b\n===")]),
        ("[a]:\n/u\n'b\nc'\n[d]: <e f> (g)\nh\n", [(P, "[a]:\n/u\n'b\nc'\n[d]: <e f> (g)"), (P, "h")]),
        ('[a]: /u "b" c\n===\n', [(H, '[a]: /u "b" c\n===')]),
        ('[a]: /u\n"b" c\n', [(P, "[a]: /u"), (P, '"b" c')]),
        ("[]: /u\n===\n", [(H, "[]: /u\n===")]),
        ("[a]: b(c\n===\n", [(H, "[a]: b(c\n===")]),
        ("> [a]: /u\n> ===\nb\n", [(QUOTE, "> [a]: /u\n> ===\nb")]),
        # Blanks, tabs, and what is no line end
        ("", []),
        (" \n\t\n", []),
        ("\ufeff", []),
        ("a\u2028# b\x0b# c\x0c# d\x85# e\n", [(P, "a\u2028# b\x0b# c\x0c# d\x85# e")]),
        ("\u00a0\n\na\n", [(P, "\u00a0"), (P, "a")]),
    ],
)
def test_blocks(text, expected):
    assert blocks(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# a\n## b ##\n### c#\n#### d \\##\n##### e # #\n###### f",
            [(1, "a"), (2, "b"), (3, "c#"), (4, "d ##"), (5, "e #"), (6, "f")],
        ),
        ("#\n## ##\n#\t\ta\t#\t\n   # b\n    # no\n", [(1, ""), (2, ""), (1, "a"), (1, "b")]),
        ("#no\n####### no\n\\# no\n", []),
        ("a *b\nc*\n===\n", [(1, "a b c")]),
        ("> # no\n\n- # no\n\n  ## no\n\n1. a\n   ---\n\n# yes\n", [(1, "yes")]),
        ("para\n# a\nb\n", [(1, "a")]),
        ("import X from 'x'\n\n<X>\n\n# a\n\n</X>\n\n{/* # no */}\n", [(1, "a")]),
    ],
)
def test_headings(text, expected):
    assert headings(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$$\na\n=\nb\n$$\nc\n", [(MATH, "$$\na\n=\nb\n$$"), (P, "c")]),
        ("a\n$$x\n---\ny$$\nb\n", [(P, "a"), (MATH, "$$x\n---\ny$$"), (P, "b")]),
        ("$$ x $$\n", [(MATH, "$$ x $$")]),
        ("$$x$$ is text\n", [(P, "$$x$$ is text")]),
        ("$$\na\n===\n\n$$\n", [(H, "$$\na\n==="), (P, "$$")]),
        ("$$\na\n\n# b\n", [(P, "$$\na"), (H, "# b")]),
        ("$5\n===\n", [(H, "$5\n===")]),
        ("    $$\n    a\n", [(CODE, "    $$\n    a")]),
    ],
)
def test_math(text, expected):
    assert blocks(text) == expected


def test_math_can_be_switched_off():
    text = "$$\na\n=\nb\n$$\n"
    assert blocks(text, math=False) == [(H, "$$\na\n="), (P, "b\n$$")]
    assert [block.kind for block in scan(text, "commonmark", False)] == [H, P]


def test_a_heading_spans_whole_lines_and_a_byte_order_mark_is_none_of_it():
    text = "\ufeff  # a  \r\n\r\n b\r\n ---\t\r\n"
    document = read_markdown(text)
    spans = [(heading.start, heading.end) for heading in document.headings]
    assert [text[start:end] for start, end in spans] == ["  # a  ", " b\r\n ---\t"]
    assert spans[0][0] == 1


def test_a_document_keeps_what_it_was_given(tmp_path):
    document = read_markdown("\ufeffa\r\n", "x", source=tmp_path / "x.md")
    assert (document.id, document.text, document.source) == ("x", "\ufeffa\r\n", tmp_path / "x.md")
    assert document.meta == {}
    assert read_markdown("a").id == "document"


def test_an_unknown_dialect_is_refused():
    with pytest.raises(UsageError, match=r"no Markdown dialect 'studi'.*Did you mean 'study'"):
        read_markdown("a", dialect="studi")
