import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.html import read_html
from ragtrial.documents.html.lines import mark_lines, pieces, unmarked
from ragtrial.documents.parts import Kind
from ragtrial.errors import DataError, MissingExtraError

PAGE = """<!doctype html>
<html lang="en"><head><title>Widgets &mdash; Site</title><style>p { color: red }</style></head>
<body><header>Site name</header>
<nav><a href="/">Home</a></nav>
<main>
<header><h1 id="top">All about <em>widgets</em><a class="headerlink" href="#top">¶</a></h1></header>
<p>First with <a href="other.html#part">a link</a>,
second line.<br>After the break.</p>
<ul>
<li>one<ul><li>nested</li></ul></li>
<li><p>two</p><p>more</p></li>
<li>see:
<pre><code class="language-python">

def f():

    return 1
</code></pre> after</li></ul>
<ol start="3"><li>a</li><li>b</li></ol>
<blockquote><p>q1</p><p>q2</p></blockquote>
<a name="sec"></a><h2>Second</h2>
<table><caption>Sizes</caption>
<tr><th>A<th>B</tr>
<tr><td>1<td>x|y</tr></table>
<dl><dt id="f">f(x)</dt><dd><p>does it</p></dd></dl>
<p hidden>secret</p><div role="tabpanel" hidden>a tab</div>
loose <b>text</b><img src="x.png" alt="a picture">
</main><footer>Imprint</footer><script>var a = "<p>no</p>";</script></body></html>
"""

TEXT = """# All about widgets

First with a link, second line.
After the break.

- one
  - nested
- two
  more
- see:

```python
def f():

    return 1
```

  after

3. a
4. b

> q1

> q2

## Second

Sizes

| A | B |
| --- | --- |
| 1 | x\\|y |

f(x)

does it

a tab

loose text a picture"""


def test_a_page_becomes_its_canonical_text(laws):
    document = read_html(PAGE, "w.html")
    assert document.text == TEXT
    laws.check(document, PAGE)
    laws.lines_hold_words(document, PAGE)
    assert [(heading.level, heading.title) for heading in document.headings] == [
        (1, "All about widgets"),
        (2, "Second"),
    ]
    assert document.path_at(document.text.index("does it")) == ("All about widgets", "Second")
    assert document.dialect is None


def test_links_anchors_and_what_was_dropped():
    meta = read_html(PAGE).meta
    assert [TEXT[link.start : link.end] for link in meta["links"]] == ["a link"]
    assert meta["links"][0].target == "other.html#part"
    assert {name: TEXT[offset : offset + 4] for name, offset in meta["anchors"].items()} == {
        "top": "# Al",
        "sec": "## S",
        "f": "f(x)",
    }
    assert dict(meta["dropped"]) == {"class headerlink": 1, "hidden": 1, "characters outside the content": 19}
    assert meta["language"] == "en"
    assert "title" not in meta, "the first-level heading is the title"


def test_the_title_stands_in_where_there_is_no_first_heading():
    assert read_html("<title> My\n page </title><p>x").meta["title"] == "My page"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<body><p>all</p></body>", "all"),
        ("<div>x</div><article><p>art</p></article>", "art"),
        ("<article>one</article><article>two</article>", "one\n\ntwo"),
        ("<main><div>side</div><article>long enough to be it</article></main>", "long enough to be it"),
        ("<main>a long text of the page itself <article>no</article></main>", "a long text of the page itself\n\nno"),
        ("<main></main><div>rest</div>", "rest"),
        ("<div role=main><main>both</main></div>x", "both"),
        ("<div class='body'>sphinx</div><div class=sphinxsidebar>side</div>", "sphinx"),
        ("", ""),
        ("just text", "just text"),
    ],
)
def test_which_part_is_the_content(page, text):
    assert read_html(page).text == text


def test_signs_beside_headings_are_no_text():
    document = read_html(
        '<h2>Enums<a href="#enums">§</a></h2><p>see <a href="#x">#</a> <a href="#x">#x</a> <a href="y">#</a>'
    )
    assert document.text == "## Enums\n\nsee #x #"
    assert document.meta["dropped"] == {"heading anchor": 2}


def test_tables_of_layout_are_read_as_blocks():
    page = "<table><tr><td><h2>T</h2><p>x</p></td><td><ul><li>i</li></ul></td></tr></table>"
    document = read_html(page)
    assert document.text == "## T\n\nx\n\n- i"
    assert [block.kind for block in document.blocks] == [Kind.HEADING, Kind.PARAGRAPH, Kind.LIST]


def test_the_lines_of_a_listing_are_those_of_the_source():
    page = "<p>a</p>\n\n<pre>\none\n  two\n\nthree</pre>\n<p>b</p>"
    document = read_html(page)
    assert [document.line_at(document.text.index(word)) for word in ("one", "two", "three", "b")] == [4, 5, 7, 8]


@pytest.mark.parametrize(
    "text",
    [
        "Привет, мир. Виджеты создают так.",
        "部件是这样创建的。第二句话。",
        "تُنشأ الأداة هكذا. جملة ثانية.",
        "emoji 👩‍👩‍👧 and é",
    ],
)
def test_other_alphabets(text, laws):
    page = f"<h1>{text}</h1><p>{text}</p><p>{text.translate({ord(c): f'&#{ord(c)};' for c in text})}</p>"
    document = read_html(page)
    assert document.text == f"# {text}\n\n{text}\n\n{text}"
    laws.check(document, page)


def test_private_characters_and_halves_of_pairs():
    document = read_html("<p>a\U000f0005b\U0010fffdc\ud800d\0e</p>")
    assert document.text.startswith("abc\ufffdd")
    assert document.verify() == []


def test_lines_beyond_the_marks_repeat():
    page = "\n" * 200_000 + "<p>far</p>\n" + "\n" * 140_000 + "<p>farther</p>"
    document = read_html(page)
    assert document.line_at(document.text.index("farther")) == 340_002


@given(st.text(st.sampled_from("<>/a b\n\r\"'=!-pé"), max_size=60))
def test_marks_change_nothing_else(page):
    marked = mark_lines(page)
    texts = [piece for _, piece in pieces(marked, 1)]
    assert "".join(texts) == unmarked(marked)


PARTS = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<ul>",
            "<li>",
            "</ul>",
            "<ol>",
            "</ol>",
            "<table>",
            "<tr>",
            "<td>",
            "</table>",
            "<pre>",
            "</pre>",
        ),
        *(
            "<h1>",
            "</h1>",
            "<h3 id=x>",
            "<blockquote>",
            "</blockquote>",
            "<a href=y>",
            "</a>",
            "<br>",
            "<nav>",
            "</nav>",
        ),
        *(
            "<main>",
            "</main>",
            "<b>",
            "</b>",
            "<script>",
            "</script>",
            "<!--",
            "-->",
            "<td ",
            "'",
            '"',
            "&amp;",
            "&#x41;",
        ),
        *(
            "text",
            " ",
            "\n",
            "\r\n",
            "é",
            "中文",
            "\0",
            "<title>",
            "</title>",
            "<svg>",
            "<template>",
            "<select>",
            "<math>",
        ),
        *(
            "<dl>",
            "<dt>",
            "<dd>",
            "<div hidden>",
            "</div>",
            "<img alt=z>",
            "<body>",
            "</body>",
            "<frameset>",
            "<hr>",
            "<",
        ),
    ]
)


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=40))
def test_any_soup_gives_a_sound_document(laws, parts):
    page = "".join(parts)
    document = read_html(page)
    laws.check(document, page)
    assert unmarked(document.text) == document.text


@given(st.text())
def test_any_text_gives_a_sound_document(laws, page):
    laws.check(read_html(page), page)


@pytest.mark.parametrize("unit", ["<p>", "<a ", "<!--", "<td", "&", "<title>", "<a='", "<", "<b>x", "<font>", "x"])
def test_a_megabyte_of_anything_takes_linear_time(unit, laws):
    laws.check(read_html(unit * (1_000_000 // len(unit))))


@pytest.mark.parametrize("unit", ["<div>", "<ul><li>", "<b><div>"])
def test_deep_nesting_is_refused(unit):
    with pytest.raises(DataError, match=r"nests more than 500 elements"):
        read_html(unit * 10_000)


def test_one_huge_line_and_one_huge_tag():
    assert len(read_html("<p>" + "word " * 1_000_000).text) == 4_999_999
    assert read_html("<p>a<img src='data:" + "A" * 5_000_000 + "'>b<i " + "x=1 " * 500_000 + ">c").text == "abc"


def test_without_the_library_the_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(MissingExtraError, match=r"selectolax.*pip install 'ragtrial\[html\]'"):
        read_html("<p>x")
