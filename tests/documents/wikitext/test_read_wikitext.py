import gzip
import json
import re

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.documents.parts import Kind
from ragtrial.documents.wikitext import read_wikitext

RESIDUE = ("{{", "[[", "<ref")

PAGE = """{{Infobox thing
| name = Widget
| text = {{nowrap|a b}}
}}
<!-- a comment
over two lines -->
A '''widget''' is ''small''.<ref name="a">A note with {{cite book|title=x}} in it.</ref> It weighs {{convert|5|kg|lb}}
and {{unknown|gone}} costs&nbsp;{{circa|1990}} [[money|little money]].<ref name="a"/>

== History == <!-- linked from elsewhere -->
{{Main|History of widgets}}
[[File:Widget.jpg|thumb|A [[widget]] in use]]
See [http://example.org the site] and [http://example.org] or http://example.org/x.
* one
** nested [[widgets]]
* two
# first
# second
; term : def

=== Tables ===
{| class="wikitable"
|+ Sizes
! Name !! Size
|-
| style="x" | small || 1 {{times}} 2
|-
| [[large|Large]]
| 3
more
|}
<syntaxhighlight lang="python">
x = [[1, 2]]
</syntaxhighlight>
A <nowiki>[[link]]</nowiki> and <math>a{{b}}c</math>.

[[Category:Widgets|W]]
[[de:Ding]]
"""

TEXT = """A widget is small. It weighs 5 kg and costs c. 1990 little money.

## History

See the site and or http://example.org/x.

- one
  - nested widgets
- two
1. first
2. second
term : def

### Tables

Sizes

| Name | Size |
| --- | --- |
| small | 1 × 2 |
| Large | 3 more |

```python
x = [ [1, 2]]
```

A [ [link]] and a{ {b}}c."""


def test_a_page_becomes_its_canonical_text(laws):
    document = read_wikitext(PAGE, "w")
    assert document.text == TEXT
    laws.check(document, PAGE)
    laws.lines_hold_words(document, PAGE.replace("'''", ""))
    assert document.path_at(document.text.index("Large")) == ("History", "Tables")
    assert document.meta["categories"] == ("Widgets",)
    links = [(TEXT[link.start : link.end], link.target) for link in document.meta["links"]]
    assert links == [("little money", "money"), ("widgets", "widgets"), ("Large", "large")]
    assert document.meta["dropped"]["template main"] == 1
    assert document.meta["dropped"]["ref"] == 2
    assert document.meta["dropped"]["file"] == 1


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{lang|fr|mot}} {{lang-de|Wort}} {{transl|ru|slovo}}", "mot Wort slovo"),
        ("{{convert|5|to|10|km|mi}}", "5 to 10 km"),
        ("{{frac|1|2}} {{val|3|u=m}} {{as of|2010|3}}", "1/2 3 m As of March 2010"),
        ("{{nowrap|{{nowrap|a}} b}}", "a b"),
        ("{{nowrap|1=a=b}}", "a=b"),
        ("a{{ndash}}b {{!}} {{snd}} c", "a–b | – c"),
        ("{{quote|To be.|Hamlet}}", "To be."),
        ("{{{name|fallback}}} {{{none}}}", "fallback"),
        ("[[Paris (city)|]] [[:Category:X]] [[a#b]]", "Paris Category:X a#b"),
        ("'''''both''''' 'a' '''b''''", "both 'a' b'"),
        ("unclosed {{ and [[ and", "unclosed and and"),
        ("a<br/>b<br>c <span style='x'>d</span> 1 < 2 > 0", "a\nb\nc d 1 < 2 > 0"),
        ("&lt;ref&gt; &#123;&#123;", "< ref> { {"),
        ("__NOTOC__ x", "x"),
        ("<ref>never closed\n\nnext", "never closed\n\nnext"),
        ("<ref>open <ref>closed</ref> text", "open text"),
        ("== x\n= y", "== x = y"),
        ("=== T ==", "## = T"),
        ("* a\n:: b", "- a\n  b"),
        ("", ""),
    ],
)
def test_marks_and_templates(source, text):
    assert read_wikitext(source).text == text


@pytest.mark.parametrize("text", ["Виджет — это вещь", "部件是一种东西", "الأداة شيء"])
def test_other_alphabets(text, laws):
    page = f"'''{text}''' [[{text}|{text}]]{{{{nowrap|{text}}}}}\n== {text} ==\n"
    page += f"[[Категория:{text}]]\n[[Файл:a.jpg|{text}]]\n{text}"
    document = read_wikitext(page)
    assert document.text == f"{text} {text}{text}\n\n## {text}\n\n{text}"
    laws.check(document, page)


PARTS = st.sampled_from(
    [
        *(
            "{{",
            "}}",
            "{{{",
            "}}}",
            "[[",
            "]]",
            "{|",
            "\n{|",
            "|}",
            "\n|}",
            "|-",
            "\n|",
            "||",
            "!!",
            "|",
            "=",
            "==",
            "\n==",
        ),
        *("'''", "''", "<ref>", "</ref>", "<ref/>", "<ref name=", "<nowiki>", "</nowiki>", "<pre>", "</pre>", "<math>"),
        *(
            "</math>",
            "<!--",
            "-->",
            "\n*",
            "\n#:",
            "\n;",
            "[http://a b",
            "]",
            "[",
            "{",
            "}",
            "<",
            "nowrap|",
            "convert|5|m",
        ),
        *(
            "File:",
            "Category:",
            "#",
            "&lt;",
            "&#91;",
            "ref",
            "a",
            " ",
            "\n",
            "\r\n",
            "中",
            "\ue000",
            "<br>",
            "<source lang=x>",
        ),
        *("</source>", "\ue002", "0", "\ue003", "<gallery>", "</gallery>"),
    ]
)


@settings(max_examples=500)
@given(st.lists(PARTS, max_size=40))
def test_any_soup_gives_a_sound_document_without_residue(laws, parts):
    page = "".join(parts)
    document = read_wikitext(page)
    laws.check(document, page)
    assert not any(mark in document.text.lower() for mark in RESIDUE)
    assert not re.search("[\ue000-\ue007]", document.text)


@given(st.text())
def test_any_text_gives_a_sound_document(laws, page):
    laws.check(read_wikitext(page), page)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "{{a ",
            "[[a ",
            "{|\n|a\n",
            "<ref>a ",
            "<div a='",
            "[http://a ",
            "<!-- ",
            "{{a|",
            "<nowiki>",
            "==a\n",
            "{{{",
            "<b",
        ),
        *("|}\n", "}}", "a ", "[[a|b]]", "<math>{{</math>"),
    ],
)
def test_half_a_megabyte_of_anything_takes_linear_time(unit, laws):
    page = unit * (500_000 // len(unit))
    document = read_wikitext(page)
    laws.check(document)
    assert not any(mark in document.text.lower() for mark in RESIDUE)


def test_a_line_of_five_megabytes():
    assert len(read_wikitext("plain text '''bold''' " * 220_000).text) == 220_000 * len("plain text bold ") - 1
    assert len(read_wikitext("{{nowrap|wide}} [[word]]s " * 10_000).text) == 10_000 * len("wide words ") - 1


@pytest.fixture(scope="module")
def articles(shared):
    with gzip.open(shared("data/wikipedia/raw_wikitext.jsonl.gz"), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_article_is_sound_and_without_residue(articles, laws):
    assert len(articles) == 114
    for article in articles:
        document = read_wikitext(article["wikitext"], article["title"])
        laws.check(document, article["wikitext"])
        assert not any(mark in document.text.lower() for mark in RESIDUE), article["title"]


def test_headings_are_those_of_another_parser(articles):
    for article in articles[:15]:
        code = mwparserfromhell.parse(article["wikitext"])
        expected = [heading.level for heading in code.filter_headings()]
        document = read_wikitext(article["wikitext"])
        assert [heading.level for heading in document.headings] == expected, article["title"]


def test_nearly_all_words_of_another_parser_are_there(articles):
    """Prose is compared: mwparserfromhell keeps the captions of files and knows no template that gives text."""
    for article in articles[:6]:
        source = re.sub(r"(?s)<ref[^<>]*/>|<ref[^<>]*>.*?</ref>|<!--.*?-->", "", article["wikitext"])
        code = mwparserfromhell.parse(source)
        for link in code.filter_wikilinks(matches=r"^\[\[(?:File|Image|Category|[a-z-]+):"):
            try:
                code.remove(link)
            except ValueError:
                continue
        expected = set(re.findall(r"[A-Za-z]{4,}", code.strip_code()))
        document = read_wikitext(article["wikitext"])
        words = set(re.findall(r"[A-Za-z]{4,}", document.text))
        assert len(expected - words) <= 0.02 * len(expected), (article["title"], sorted(expected - words)[:40])


def test_kinds_of_blocks():
    kinds = [block.kind for block in read_wikitext(PAGE).blocks]
    assert {Kind.PARAGRAPH, Kind.HEADING, Kind.LIST, Kind.TABLE, Kind.CODE} == set(kinds)
