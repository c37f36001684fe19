"""Questions harvested from links: what is taken, what is asked, what is refused and why."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.folder import read_folder
from ragtrial.documents.html import read_html
from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.parts import Link
from ragtrial.questions.links.harvest import Rules, harvest, harvest_enough
from ragtrial.questions.links.passages import passages
from ragtrial.questions.links.query import make_query
from ragtrial.questions.links.words import content_words, is_english, stem
from ragtrial.questions.load import read_questions
from ragtrial.questions.write import questions_text
from ragtrial.text.words import unicode_words

MENTION = (
    "Our dashboard team likes [closures](guide.md#constraining-eager-loads) because of the weather, the music and "
    "the gardens that are in the valley."
)

FILLER = "\n\n".join(f"Nothing to be seen in paragraph {n} of the long page about other matters." for n in range(60))

GUIDE = f"""# Guide

## Eager loading

Relations are fetched together with their parents in one query, which keeps the number of round trips small.

### Constraining eager loads

Pass a closure that adds conditions, and only matching rows come along with the parent model.

{FILLER}
"""


def page(text, name="page.md"):
    return read_markdown(f"# Page\n\nThis is the page for you and it is in English.\n\n{text}\n", id=name)


def harvested(text, rules=None, guide=GUIDE):
    return harvest([read_markdown(guide, id="guide.md"), page(text)], rules)


def reasons(found):
    return {name.removeprefix("- "): count for name, count in found.funnel[1:]}


def test_a_sentence_that_points_is_a_question_of_its_own_words():
    found = harvested(
        "To limit which related records are retrieved from the database, "
        "see [Constraining eager loads](guide.md#constraining-eager-loads)."
    )
    (question,) = found.questions
    assert question.text == "To limit which related records are retrieved from the database"
    assert question.evidence_texts[0].startswith("Pass a closure that adds conditions")
    assert (question.document, question.cluster, question.origin) == ("guide.md", "guide.md", "links")
    (place,) = question.withheld
    assert place.document == "page.md"
    text = page("x").text.replace("x\n", "")
    assert place.start == len(text)
    assert dict(found.funnel) == {"links": 1}


def test_the_authors_own_phrase_stays():
    found = harvested(
        "If related records come with too many columns or rows, see "
        "[how to filter what is retrieved](guide.md#constraining-eager-loads)."
    )
    assert found.questions[0].text == (
        "If related records come with too many columns or rows, how to filter what is retrieved"
    )


def test_a_mention_is_a_question_if_something_is_to_be_done():
    text = (
        "You may also [filter which related records are retrieved](guide.md#constraining-eager-loads) for a dashboard."
    )
    assert len(harvested(text).questions) == 1
    text = MENTION
    assert reasons(harvested(text)) == {"only mentions its target": 1}
    assert len(harvested(text, Rules(mentions=True)).questions) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[Constraining eager loads](guide.md#constraining-eager-loads)", "in a list of links"),
        ("- [Constraining eager loads](guide.md#constraining-eager-loads) here", "in a list of links"),
        ("To change dashboards of the whole team, see [a/b/c.md](guide.md#eager-loading).", "in a list of links"),
        ("To change dashboards of the whole team, see [it](https://example.org/x#y).", "to another site"),
        (
            "To change dashboards of the whole team, see [it](guide.md#nowhere).",
            "to a page or section that is not here",
        ),
        ("To change dashboards of the whole team, see [it](guide.md).", "to a whole page"),
        (
            "Change all by [it](guide.md#eager-loading), [that](guide.md#guide) and [those](guide.md#guide).",
            "in a sentence with too many links",
        ),
        (
            "To change dashboards of the whole team do this, as described in [it](guide.md#eager-loading).",
            "needs the sentences around it",
        ),
        ("For more information on eager loading, see [eager loading](guide.md#eager-loading).", "says little"),
        (
            "If relations are fetched together with their parents, see [Eager loading](guide.md#eager-loading).",
            "copies its evidence",
        ),
        ("You can change dashboards with [eager loading](guide.md#eager-loading).", "is no sentence without its link"),
        ("To change dashboards of the whole team, see [here](#near).\n\n## Near\n\nText.", "to where it stands"),
        ("To change dashboards of the whole team, see [here](guide.md#guide).", None),
    ],
)
def test_what_is_refused_is_counted_under_its_rule(text, reason):
    found = harvested(text)
    if reason is None:
        assert len(found.questions) == 1
        return
    assert found.questions == ()
    assert any(name.startswith(reason) for name in reasons(found)), found.funnel
    assert sum(reasons(found).values()) == dict(found.funnel)["links"]


def test_two_sentences_of_a_paragraph_about_one_section_are_two_questions(tmp_path):
    found = harvested(
        "To change dashboards of the whole team at once, see [it](guide.md#eager-loading). "
        "To paint every chart of a client by night, see [it](guide.md#eager-loading)."
    )
    first, second = (question.id for question in found.questions)
    assert second == f"{first}#2"
    (tmp_path / "q.jsonl").write_text(questions_text(found.questions), encoding="utf-8")
    read = read_questions(tmp_path / "q.jsonl", [read_markdown(GUIDE, id="guide.md")])
    assert [question.id for question in read.questions] == [first, second]


@pytest.mark.parametrize(
    "sentence",
    [
        "Readers of old dashboards are heavily encouraged to consult [the list of changes].",
        "Charts on dashboards accept a number of colours which, as described in [the list of changes], are optional.",
    ],
)
def test_a_clause_that_lost_its_middle_is_no_question(sentence):
    start, end = sentence.index("["), sentence.index("]") - 1
    query = make_query(sentence.replace("[", "").replace("]", ""), Link(start, end, "t"), "The list of changes")
    assert query.refused == "is no sentence without its link"


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ("[Mass chart protection] is disabled while dashboards are drawn.", True),
        ("To define old charts, make [a new client dashboard] as normal; however, add colours.", True),
        ("While drawing, the browser of a client follows [the rules of chart hierarchy].", False),
    ],
)
def test_a_phrase_in_passing_is_no_question(sentence, refused):
    start, end = sentence.index("["), sentence.index("]") - 1
    query = make_query(sentence.replace("[", "").replace("]", ""), Link(start, end, "t"), "Palettes")
    assert (query.refused == "only mentions its target") is refused


def test_repeats_and_contradictions_are_no_questions():
    one = "To change dashboards of the whole team at once, see [it](guide.md#eager-loading)."
    other = "To change dashboards of the whole team at once, see [it](guide.md#constraining-eager-loads)."
    found = harvested(f"{one}\n\n{one}")
    assert (len(found.questions), reasons(found)) == (1, {"asks what another question asks": 1})
    found = harvested(f"{one}\n\n{other}")
    assert (found.questions, reasons(found)) == ((), {"asks what another question asks": 2})


def test_no_section_and_no_document_gets_more_than_its_share():
    verbs = ("paint", "wash", "sell", "borrow", "return", "count")
    text = "\n\n".join(
        f"To {verb} dashboards of the whole team, see [it](guide.md#{name})."
        for verb in verbs
        for name in ("eager-loading", "constraining-eager-loads")[: 1 + (verb == "paint")]
    )
    # The two links of "paint" contradict each other.
    found = harvested(text, Rules(per_section=3))
    assert len(found.questions) == 3
    assert reasons(found)["over the limit of its section or document"] == 2
    assert len(harvested(text, Rules(per_section=9, per_document=4)).questions) == 4


def test_a_long_section_gives_its_opening_and_a_long_block_nothing():
    many = "\n\n".join(f"Sentence number {n} about nothing in particular but long enough." for n in range(60))
    text = "To change dashboards of the whole team, see [it](guide.md#long)."
    (question,) = harvested(text, guide=f"# Guide\n\n## Long\n\n{many}\n").questions
    assert 1500 <= len(question.evidence_texts[0]) < 1600
    found = harvested(text, guide=f"# Guide\n\n## Long\n\n{'word ' * 1000}\n")
    assert reasons(found) == {"to a section that begins with a long block": 1}


def test_too_few_questions_let_mentions_in():
    text = MENTION
    documents = [read_markdown(GUIDE, id="guide.md"), page(text)]
    found = harvest_enough(documents)
    assert found.rules.mentions
    assert len(found.questions) == 1
    assert harvest([]).questions == ()


def test_other_languages_keep_their_sentences():
    russian = "# Настройка\n\nПароль задают в файле настроек, который читается при запуске службы каждое утро.\n"
    text = "Чтобы сменить секретное слово администратора, смотрите раздел [Настройка](setup.md#настройка)."
    documents = [read_markdown(russian, id="setup.md"), read_markdown(f"# Вход\n\n{text}\n", id="login.md")]
    (question,) = harvest(documents).questions
    assert question.text == "Чтобы сменить секретное слово администратора, смотрите раздел"
    assert question.document == "setup.md"


def test_passages_are_what_a_reader_sees():
    document = read_markdown(
        '# T\n\nSee *the* [big `x()` one](a.md "title"), ![image](i.png) and [ref][R] or `[code](no.md)`.\n\n'
        "- item with [link](b.md)\n  goes on\n- none\n\n> [!NOTE]\n> Quoted [one](c.md).\n\n[r]: d.md 'x'\n",
        id="t.md",
    )
    found = [(p.text, [(p.text[a:b], t) for a, b, t in p.links], p.item) for p in passages(document)]
    assert found == [
        ("See the big x() one, and ref or [code](no.md).", [("big x() one", "a.md"), ("ref", "d.md")], False),
        ("item with link goes on", [("link", "b.md")], True),
        ("Quoted one.", [("one", "c.md")], False),
    ]
    assert document.text[slice(*list(passages(document))[1].place)] == "- item with [link](b.md)\n  goes on\n"


QUOTED = (
    "To limit which related records are retrieved from the database,{br} see {open}Constraining eager loads{close}."
)


def test_the_same_page_as_markdown_and_as_html_asks_the_same():
    pytest.importorskip("selectolax")
    asked = {"br": "", "open": "[", "close": "](guide.html#constraining-eager-loads)"}
    marked = {"br": "<br>", "open": '<a href="guide.html#constraining-eager-loads">', "close": "</a>"}
    before = "This is the page for you and it is in English."
    body = FILLER.replace("\n\n", "</p>\n<p>")
    guide = (
        "<h1>Guide</h1><h2>Eager loading</h2><p>Relations are fetched together with their parents in one query.</p>"
        '<h3 id="constraining-eager-loads">Constraining eager loads</h3>'
        f"<p>Pass a closure that adds conditions, and only matching rows come along.</p><p>{body}</p>"
    )
    html = QUOTED.format(**marked)
    pages = {
        "quote": (f"> [!NOTE]\n> {QUOTED.format(**asked)}", f"<blockquote><p>[!NOTE]<br>{html}</p></blockquote>"),
        "nested": (f"> > {QUOTED.format(**asked)}", f"<blockquote><blockquote>{html}</blockquote></blockquote>"),
        "numbered": (f"1. {QUOTED.format(**asked)}", f"<ol><li>{html}</li></ol>"),
        "bullets": (f"- none\n- {QUOTED.format(**asked)}", f"<ul><li>none</li><li>{html}</li></ul>"),
        "quoted list": (f"> - {QUOTED.format(**asked)}", f"<blockquote><ul><li>{html}</li></ul></blockquote>"),
    }
    for name, (as_markdown, as_html) in pages.items():
        for document in (
            read_markdown(f"# Page\n\n{before}\n\n{as_markdown}\n", id=name),
            read_html(f"<main><h1>Page</h1><p>{before}</p>{as_html}</main>", id=name),
        ):
            found = harvest([read_html(f"<main>{guide}</main>", id="guide.html"), document])
            assert [question.text for question in found.questions] == [
                "To limit which related records are retrieved from the database"
            ], (name, document.text, found.lines())


def test_passages_of_a_page_have_no_marks_and_no_code():
    pytest.importorskip("selectolax")
    document = read_html(
        '<main><blockquote><p>First, see <a href="b.html#x">the guide</a><br>and <a href="c.html">more</a>.</p>'
        '<p>Then <a href="d">that</a>.</p><pre>x <a href="k">y</a></pre></blockquote>'
        '<ol><li>Do <a href="e">it</a> &gt; now</li></ol><p>&gt; 3, says <a href="f">he</a></p></main>',
        id="a.html",
    )
    found = [(p.text.strip(), [(p.text[a:b], t) for a, b, t in p.links], p.item) for p in passages(document)]
    assert found == [
        ("First, see the guide and more.", [("the guide", "b.html#x"), ("more", "c.html")], False),
        ("Then that.", [("that", "d")], False),
        ("Do it > now", [("it", "e")], True),
        ("> 3, says he", [("he", "f")], False),
    ]
    places = [document.text[slice(*p.place)].rstrip("\n") for p in passages(document)]
    assert places[:2] == ["> First, see the guide\n> and more.", "> Then that."]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("p", "blockquote", "ul><li", "ol><li", "blockquote><ul><li", "blockquote><blockquote")),
            st.text(alphabet="ab >-1.!é中", max_size=12),
            st.from_regex(r"[a-zé中]{1,6}", fullmatch=True),
        ),
        max_size=6,
    )
)
def test_links_of_a_page_keep_their_words_in_passages(blocks):
    pytest.importorskip("selectolax")
    parts = []
    for number, (tags, before, word) in enumerate(blocks):
        ends = "".join(f"</{tag}>" for tag in reversed(tags.split("><")))
        text = f'{before.replace(">", "&gt;")} <a href="t{number}">{word}</a>'
        parts.append(f"<{tags}>{text}<br>{text}{ends}")
    found = [link for p in passages(read_html(f"<main>{''.join(parts)}</main>")) for link in p.links]
    read = [p.text[a:b] for p in passages(read_html(f"<main>{''.join(parts)}</main>")) for a, b, _ in p.links]
    assert [link.target for link in found] == [f"t{number}" for number in range(len(blocks)) for _ in range(2)]
    assert read == [word for *_, word in blocks for _ in range(2)]


@given(st.text(alphabet=st.sampled_from("ab[]()`*_!<> \n#.-\ue000\ue001é中"), max_size=200))
def test_no_text_breaks_the_harvest(text):
    document = read_markdown(text, id="x.md")
    for passage in passages(document):
        assert 0 <= passage.place.start < passage.place.end <= len(text)
        for start, end, _ in passage.links:
            assert 0 <= start <= end <= len(passage.text)
    harvest([document])


@given(st.text(max_size=80), st.text(max_size=20), st.text(max_size=80), st.text(max_size=20))
def test_no_sentence_breaks_the_query(before, linked, after, title):
    query = make_query(before + linked + after, Link(len(before), len(before) + len(linked), "t"), title)
    assert bool(query.refused) or set(unicode_words(query.text)) <= set(
        unicode_words(before + " " + linked + " " + after)
    ) | set(unicode_words(before + linked + after))


@pytest.mark.parametrize(
    ("sentence", "title", "expected"),
    [
        ("As you can see, like [dashboard teams], it is drawn by the client at night.", "Teams", None),
        ("You will be able to see [how charts are drawn by a client] of the browser.", "Charts", "you will be able"),
        ("If you want to see all colours of a chart, see [Palettes].", "Palettes", "If you want to see all colours of"),
        ("For more detailed documentation on drawing charts by night, see [Charts].", "Charts", "drawing charts by"),
        (
            "To draw charts by night on a client, have a quick look at [Charts].",
            "Charts",
            "To draw charts by night on a",
        ),
        (
            "Colours of dark charts on old screens may be found in the [Palettes] section.",
            "Palettes",
            "Colours of dark",
        ),
        (
            "To draw dark charts on old screens, [check out its documentation].",
            "Palettes",
            "To draw dark charts on old",
        ),
        ("Old screens need charts in darker colours ([described below]).", "Palettes", "Old screens need charts in"),
    ],
)
def test_what_points_is_told_from_what_is_only_seen(sentence, title, expected):
    start, end = sentence.index("["), sentence.index("]") - 1
    query = make_query(sentence.replace("[", "").replace("]", ""), Link(start, end, "t"), title)
    if expected is None:
        assert query.refused == "only mentions its target"
        return
    assert query.refused == ""
    assert query.text.casefold().startswith(expected.casefold())
    assert not re.search(r"\b(?:look|found|check|described|documentation|ed)\b", query.text)


def test_a_bare_reference_to_a_page_is_no_list_of_links(tmp_path):
    pytest.importorskip("docutils")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/lamps.rst").write_text(
        "Lamps\n=====\n\nOil is poured in at noon, and wicks are cut by the keeper.\n", encoding="utf-8"
    )
    (tmp_path / "start.rst").write_text(
        "Start\n=====\n\nThis is the page for you and it is in English.\n\n"
        "To light the tower through a stormy night of winter, see :doc:`/deep/lamps`.\n",
        encoding="utf-8",
    )
    found = harvest(list(read_folder([tmp_path])))
    assert [question.text for question in found.questions] == ["To light the tower through a stormy night of winter"]
    assert found.questions[0].document == "deep/lamps.rst"
    (tmp_path / "start.rst").write_text(
        "Start\n=====\n\nThis is the page for you and it is in English.\n\n"
        "To light the towers that are beside :doc:`/start` in a stormy night of winter, see :doc:`/deep/lamps`.\n",
        encoding="utf-8",
    )
    (question,) = harvest(list(read_folder([tmp_path]))).questions
    assert question.text == "To light the towers that are beside Start in a stormy night of winter"


def test_other_scripts_lose_their_own_punctuation():
    query = make_query("如果想在夜里保持灯火，请看 玻璃。", Link(14, 16, "t"), "玻璃", english=False)
    assert query.text == "如果想在夜里保持灯火，请看"


def test_words_that_say_something():
    assert content_words("The queries of a query, and the querying") == ["query", "query", "query"]
    assert {stem(word) for word in ("route", "routes", "routing", "routed")} == {"rout"}
    assert stem("настройки") == "настройки"
    assert is_english("This is what you may do with it.")
    assert not is_english("Чтобы сменить пароль, откройте настройки.")
    assert not is_english("")


@pytest.mark.parametrize(
    "text",
    [
        "see " * 30_000 + "[it](guide.md#x).",
        "[" * 60_000,
        "[a](" * 20_000,
        "`" + "`` a ``` b " * 8_000,
        "![" * 40_000,
        "[a]: " * 20_000,
        "> " * 30_000 + "[a](b)",
        "<!---->" * 8_000 + "x\n\n## A\n",
        "<a id " * 20_000,
        "- [a](b)\n" * 8_000,
    ],
    ids=lambda text: text[:8],
)
def test_time_is_linear(text):
    began = process_time()
    harvest([page(text), read_markdown(GUIDE, id="guide.md")])
    assert process_time() - began < 10
