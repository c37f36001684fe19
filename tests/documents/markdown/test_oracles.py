"""Agreement with markdown-it-py and pyromark: on two real documentation folders, and on documents made to be nasty."""

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.markdown.definitions import leading_definitions
from ragtrial.documents.parts import Kind

FOLDERS = ["data/laravel-docs", "data/angular-docs"]

# Attributes at the end of a heading are an extension; markdown-it-py leaves them in the title.
ATTRIBUTES = re.compile(r" \{(?:[#.][\w-]+ ?)+\}$")


def without_definitions(text, blocks):
    """Leave out definitions: blocks of ours, as every character belongs to one, but not of parsers."""
    lines = [line.lstrip(" \t") for line in re.split(r"\r\n?|\n", text)]
    return [
        (kind, first, end)
        for kind, first, end in blocks
        if kind is not Kind.PARAGRAPH or leading_definitions(lines[first:end])[0] < end - first
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_real_documents(shared, folder, markdown_it, pyromark_headings, blocks_by_line):
    headings = 0
    for path in sorted(shared(folder).rglob("*.md")):
        text = path.read_bytes().decode()
        document = read_markdown(text)
        expected = markdown_it(text)
        found = [tuple(heading) for heading in document.headings]
        assert found == [(n, ATTRIBUTES.sub("", title), *span) for n, title, *span in expected.headings], path
        assert found == pyromark_headings(text, attributes=True), path
        assert without_definitions(text, blocks_by_line(document)) == expected.blocks, path
        headings += len(found)
    assert headings > 1_900


# fmt: off
FRAGMENTS = [
    "", "a", "b c", "# h", "## h ##", "###", "#no", "===", "=", "---", "-", "--", "***", "* * *", "- a", "- b", "* c",
    "+ d", "*", "1. x", "2. y", "1) z", "10. w", "12", "> q", ">", "> > r", ">s", "```", "````", "~~~", "``` py",
    "~~~ x", "```a`", "<div>", "</div>", "<b>", "<b>x", "<!-- c", "-->", "<!-- d -->", "<?p", "?>", "<script>",
    "</script>", "<pre>", "</pre>", "| a | b |", "|---|---|", "a | b", "--|--", "| 1 | 2", "|:-:|", "| x |", "\\| y |",
    "    code", "\tcode", "  text", "   - e", "    - f", "      g", "- - a", "- - -", "> - k", "- > l", "1. - m",
    "> ```", "- ```", "-     n", "-\t o", ">\tp", " \t", "   ", "_ _ _", "a  ", "t\\", "*e*", "`c`", "&amp; x",
    "<http://a.b>", "![i](j)", "[l](m)", "$5", "- # h", "> # h", "1234567890. x", "01. x", "0. x", "- 1. x", ">     c",
    "- \tx", "+", "1.", "2)", "> 1.", "- -", "-  ", "> ---", "  ===", "   ---", "    ===", "- ===", "> ===", "# h\t#",
    "#\th", "## #", "# #x", "[a](b", "**", "<a", "</x>", '<x y="z">', "<h1>t", "</p", "<!X", "<![CDATA[", "|", "||",
    "|-", "-|", "|-|", ":-", "-:", "a|", "a\u2028# x", "a\x0b# x", "é", "中文", "# [r]", "# [R][]", "# [x][r]",
    "# ![r]",
    "# *a* `b`",
]
PREFIXES = ["", "", "", "", " ", "  ", "   ", "    ", "\t", "      ", "> ", ">", "- ", "  > ", "> > ", "  - ", "1. "]
DEFINITIONS = [
    "[r]: /u\n", "[r]: /u\n===", "[r]: /u\ntext", '[r]: /u "t"\n', '[r]: /u "t" x\n', "[r]:\n/u\n", "[r]: <> (t)\n",
    "[r\ns]: /u\n", "[]: /u\n===", '[r]: /u "t\nu"\n', "[r]: a(b\n", "[r]: /u\n[s]: /v\ntext\n===",
]
# fmt: on

fragments = st.builds(str.__add__, st.sampled_from(PREFIXES), st.sampled_from(FRAGMENTS))
nasty = st.lists(fragments | fragments | fragments | st.sampled_from(DEFINITIONS), max_size=12).map("\n".join)

CONTAINER = re.compile(r"[ \t]*(?:>|[-+*](?=[ \t]|$)|[0-9]+[.)](?=[ \t]|$))")
DASHES = re.compile(r"[ \t>]*-+[ \t]*$")
DELIMITERS = re.compile(r"[ \t>]*[|:-][ |:-]*$")
DEFINITION = re.compile(r"[ \t>-]*\[r\]:")
TAB_BEHIND_QUOTE = re.compile(r"^[ \t]*>.*\t", re.MULTILINE)
UNINDENTED = re.compile(r"[^ \t>#+*0-9-]|$|={3}$")


def differs_by_rule(text):
    """Tell whether markdown-it-py is known to leave the rule on such a text.

    - In a list or quote that no blank line has ended, it takes a line indented by four columns
      for code or, behind four blanks, ``>`` for a quote mark. CommonMark 5.1: a quote mark has at
      most three blanks before it; a paragraph can be continued by a line with any indentation.
    - It makes a table of ``|a|`` over ``---``, and of a list item or quote over a delimiter row.
      cmark-gfm and pyromark read a Setext heading there, and the item or quote.
    - It miscounts the columns of a tab behind nested quote and list marks.
    - It closes the paragraph after a definition at once, so that an indented line or an empty
      item may follow; in the specification's strategy and in cmark definitions are taken
      out when the paragraph ends.
    """
    lines = text.split("\n")
    in_container = False
    for line, following in pairwise(lines):
        in_container = bool(line.strip(" \t")) and (in_container or bool(CONTAINER.match(line)))
        indent = len(following) - len(following.lstrip(" \t"))
        if in_container and len(following[:indent].expandtabs(4)) > 3:
            return True
        if "|" in line and (DASHES.match(following) or (CONTAINER.match(line) and DELIMITERS.match(following))):
            return True
        if DEFINITION.match(line) and not UNINDENTED.match(following):
            return True
    if TAB_BEHIND_QUOTE.search(text):
        return True
    # Front matter is an extension.
    return text.startswith(("---", "+++"))


@settings(max_examples=300, deadline=None)
@given(text=nasty)
def test_made_documents(text, markdown_it, blocks_by_line):
    assume(not differs_by_rule(text))
    document = read_markdown(text, math=False)
    expected = markdown_it(text)
    assert [tuple(heading) for heading in document.headings] == expected.headings
    assert without_definitions(text, blocks_by_line(document)) == expected.blocks


def differs_from_pyromark(text):
    """Tell whether pyromark is known to leave the rule on such a text.

    - A table does not interrupt a paragraph for it, and four blanks do not end one.
    - A blank before ``>`` that a tab makes reach the fourth column is a quote mark's for it.
    - It does not take away closing ``#``s behind or before a tab.
    """
    return "|" in text or "\t" in text or bool(re.search(r"^ {4}", text, re.MULTILINE))


@settings(max_examples=200, deadline=None)
@given(text=nasty)
def test_made_documents_against_pyromark(text, pyromark_headings):
    assume(not differs_from_pyromark(text) and not text.startswith(("---", "+++")))
    document = read_markdown(text, math=False)
    assert [tuple(heading) for heading in document.headings] == pyromark_headings(text)
