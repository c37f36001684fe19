"""Titles are plain text."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.markdown.titles import plain_title, split_attributes

# fmt: off
PIECES = [
    "*", "*", "**", "***", "_", "_", "__", "`", "``", "[", "]", "](u)", '](/u "t")', "[r]", "![", "<", ">", "<b>",
    "</b>", "<!-- c -->", "<!--", "-->", "<a@b.c>", "<http://x>", "&amp;", "&lt;", "&#42;", "&#x;", "&copy", "&nope;",
    "\\", "\\*", "\\[", "\\`", "\\]", "a", "b", "foo", " ", " ", "  ", ".", ",", "é", '"', "'", "$", "~~", "!",
    '<a b="', "c=d>", "=", "R", "中", "“", "<?", "?>", "<![CDATA[", "]]>", "<!A", "+", "](a(b)c)", "](  u  )", "€",
    "\n", "\\\n", "  \n",
]
# fmt: on


def differs_by_rule(content):
    """Tell whether markdown-it-py is known to leave the rule on such a text.

    - It lets ``~~`` pair up inside longer runs, and not ``~``; in GFM runs of one and two do, longer ones are text.
    - It resolves escapes and emphasis in an image's text otherwise than in other text.
    - It ends no comment with ``--->``.
    - It takes the end of a link's text for a blank, so other runs of delimiters can stand before it.
    - It reads ``[r]`` before ``(`` or ``[`` as text although ``r`` is defined and no target follows.
    """
    if any(mark in content for mark in ("~~~", "\\~", "![", "--->")):
        return True
    return bool(re.search(r"\][(\[]|[*_~]\]", re.sub(r"(?<![*_~])\]\((u|  u  |a\(b\)c)\)", "", content)))


@settings(max_examples=300, deadline=None)
@given(content=st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join))
def test_inlines_agree(content, plain_inlines):
    lines = [line.strip(" \t") for line in content.split("\n")]
    # Another block than a paragraph would start, or the first line would be a definition.
    assume(all(line and line == line.strip() for line in lines))
    assume(all(re.match(r"[^<>*+=_~`#|:-]", line) for line in lines) and "]:" not in content)
    assume(not differs_by_rule(content))
    document = read_markdown("\n".join([*lines, "===", "", "[r]: /u", ""]), math=False)
    assert [heading.title for heading in document.headings] == [plain_inlines("\n".join(lines))]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("plain", "plain"),
        ("", ""),
        ("*a* **b** _c_ __d__ ***e***", "a b c d e"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("`code` and ``a ` b``", "code and a ` b"),
        ("unclosed `code", "unclosed `code"),
        ("[link](http://x.y/#a 'title') and [ref][r], [r], [R][]", "link and ref, r, R"),
        ("[nothing][else] [here]", "[nothing][else] [here]"),
        ("[a [b](u) c](v)", "[a b c](v)"),
        ("![alt *text*](src.png) end", "alt text end"),
        ("[![badge](b.svg)](url) Name", "badge Name"),
        ("<https://x.y> and <me@x.y>", "https://x.y and me@x.y"),
        ("Important <!-- TODO -->", "Important"),
        ("a <b class='x'>bold</b> word", "a bold word"),
        ("1 < 2 > 0 <not a tag", "1 < 2 > 0 <not a tag"),
        (r"\# \*a\* \[b\] \q \\", r"# *a* [b] \q \ ".strip()),
        ("AT&amp;T &lt;x&gt; &#35; &#x41; &#0; &bogus; &copy", "AT&T <x> # A \ufffd &bogus; &copy"),
        ("&nbsp;", ""),
        ("~~old~~ ~new~ ~~~x~~~", "old new ~~~x~~~"),
        ("~/.bashrc and ~/.profile", "~/.bashrc and ~/.profile"),
        ("two\nlines", "two lines"),
        ("hard  \nbreak\\\nhere", "hard break here"),
        ("tabs\tand   blanks", "tabs and blanks"),
        ("a\0b", "a\ufffdb"),
        ("[a](b(c)d) [e](<f g>) [h]() [i](j k)", "a e h [i](j k)"),
        ("<?php echo ?> x <![CDATA[y]]> z <!DOCTYPE a>", "x z"),
        ("&#1114112; &#xD800;", "\ufffd \ufffd"),
        ("Ünï *çödé* 中文", "Ünï çödé 中文"),
    ],
)
def test_plain_title(content, title):
    assert plain_title(content, {"r"}) == title


@pytest.mark.parametrize(
    ("content", "rest", "name"),
    [
        ("Setup {#setup}", "Setup", "setup"),
        ('Next step {#next .wide data-x="1"}', "Next step", "next"),
        ("Anchor{#a}", "Anchor", "a"),
        ("Kramdown {: .a #b}", "Kramdown", "b"),
        ("Class {.a .b}", "Class", ""),
        ("Value {key='a b'}", "Value", ""),
        ("Colon {#sec:intro}", "Colon", "sec:intro"),
        ("{#only}", "", "only"),
        ("Escaped \\{#a}", "Escaped \\{#a}", ""),
        ("Code `{#a}`", "Code `{#a}`", ""),
        ("Braces {a}", "Braces {a}", ""),
        ("call{a=b}", "call{a=b}", ""),
        ("Empty {}", "Empty {}", ""),
        ("Inside {#a} more", "Inside {#a} more", ""),
    ],
)
def test_attributes(content, rest, name):
    assert split_attributes(content) == (rest, name)


def test_ids_are_kept_by_the_start_of_their_heading():
    text = "# One {#one}\n\ntext\n\nTwo {#two .x}\n===\n\n## Three ## {#three}\n\n## Four {.x}\n"
    document = read_markdown(text)
    assert [heading.title for heading in document.headings] == ["One", "Two", "Three", "Four"]
    starts = [heading.start for heading in document.headings]
    assert document.meta["heading_ids"] == {starts[0]: "one", starts[1]: "two", starts[2]: "three"}
    assert "heading_ids" not in read_markdown("# One\n").meta


def test_references_may_be_defined_anywhere():
    text = "## [1.0.0] - 2020\n\n## [Item][i] [quoted] [none]\n\n- x\n\n  [I]: /u\n\n> [quoted]: /v\n\n[1.0.0]: /w\n"
    assert [heading.title for heading in read_markdown(text).headings] == ["1.0.0 - 2020", "Item quoted [none]"]


def test_the_study_keeps_titles_as_written():
    text = "# A *b* `c` {#d} ##\n\n[e](f) &amp;\n---\n"
    assert [h.title for h in read_markdown(text, dialect="study").headings] == ["A *b* `c` {#d}", "[e](f) &amp;"]
