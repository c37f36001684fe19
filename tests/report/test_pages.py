"""The pages: whole, harmless whatever documents say, the same bytes from the same record, and nothing from outside."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import DataError
from ragtrial.report.pages.answer import render_answer, write_report
from ragtrial.report.pages.folder import document_pages, question_pages
from ragtrial.report.pages.text import Boundaries, Mark, boundaries, marked_text
from ragtrial.report.tables import Table
from ragtrial.report.views import Views
from ragtrial.report.words import clean

from .html_reader import Page
from .made_up_trial import EVIL, LONG, RTL


def pages_of(record):
    views = list(Views(record))
    return dict([*question_pages(record, views), *document_pages(record, views)])


@pytest.fixture(scope="module")
def all_pages(hostile):
    return {"report.html": render_answer(hostile, pages="report/questions.html")} | pages_of(hostile)


def test_every_page_closes_what_it_opens_and_takes_nothing_from_outside(all_pages):
    assert len(all_pages) == 1 + 1 + 3
    for name, text in all_pages.items():
        page = Page(text)
        assert text.startswith("<!doctype html>"), name
        assert not [a for a in page.all("a") if re.match(r"[a-z]+:", a.get("href") or "")], name
        assert not page.all("link") + page.all("img") + page.all("iframe") + page.all("base"), name
        assert not re.search(r"url\(\s*['\"]?(?!#)", page.text("style")), name
        assert "@import" not in page.text("style")
        (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; ")
        for _, attributes in page.elements:
            assert not [key for key in attributes if key.startswith("on")], name


def test_the_answer_has_no_script_and_the_list_of_questions_has_its_own_alone(all_pages):
    scripts = {name: len(Page(text).all("script")) for name, text in all_pages.items()}
    assert {name for name, number in scripts.items() if number} == {"questions.html"}
    page = Page(all_pages["questions.html"])
    assert page.all("script") == [{}]
    assert "alert" not in page.text("script")
    assert "'sha256-" in next(m["content"] for m in page.all("meta") if "http-equiv" in m)


def test_what_tries_to_be_code_is_shown_as_text(all_pages):
    for name in ("report.html", "questions.html"):
        page = Page(all_pages[name])
        assert EVIL in page.text("body")
        assert "49" not in page.text("title")
    documents = [Page(text) for name, text in all_pages.items() if name.startswith("documents/")]
    (page,) = (page for page in documents if LONG in page.text("div"))
    assert EVIL in page.text("mark")
    assert LONG in page.text("div")
    assert RTL in page.text("div")
    for text in all_pages.values():
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


def test_names_of_either_direction_are_kept_to_themselves(all_pages):
    page = Page(all_pages["report.html"])
    assert any(RTL in text for text in page.texts["bdi"])


def test_every_figure_has_its_words_and_a_table(real):
    text = render_answer(real)
    page = Page(text)
    figures = page.all("svg")
    assert len(figures) == 2
    for svg in figures:
        assert svg["role"] == "img"
        for row in real.contrasts:
            assert row["name"] in svg["aria-label"]
    for row in real.contrasts:
        assert row["name"] in page.text("th")
        assert row["verdict"] in page.text("td")
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    assert wanted <= set(ids)


def test_the_trial_file_in_the_page_is_the_trial(real):
    (given,) = re.findall(r'<code id="trial">(.*?)</code>', render_answer(real), flags=re.DOTALL)
    from html import unescape

    assert tomllib.loads(unescape(given)) == real.header["given"]


def test_tiers_and_families_stand_apart_confirmatory_first(real, told):
    first, second, third = real.contrasts
    rows = [first, second | {"tier": "confirmatory", "family": "H1"}, third | {"tier": "secondary"}]
    plan = {"sha256": "0" * 64, "created": "2026-11-30T00:00:00Z", "amendments": []}
    text = render_answer(told(rows, plan=plan))
    captions = re.findall(r"<caption>(.*?)</caption>", text)
    assert captions[:3] == ["Confirmatory, family H1: Holm-adjusted together", "Secondary", "Exploratory"]


def test_a_record_without_contrasts_has_a_page(told):
    page = Page(render_answer(told([])))
    assert not page.all("svg")
    assert "No contrast was declared" in page.text("p")


def test_questions_are_listed_by_disagreement_and_lead_to_their_place(hostile, all_pages):
    page = Page(all_pages["questions.html"])
    spreads = [float(td["data-value"]) for td in page.all("td") if "data-value" in td][::4]
    assert spreads == sorted(spreads, reverse=True)
    assert len(spreads) == 4
    for link in page.all("a")[1:]:
        name, _, anchor = link["href"].partition("#")
        assert f'id="{anchor}"' in all_pages[name]


def test_links_between_pages_lead_somewhere(all_pages):
    documents = {name: text for name, text in all_pages.items() if name.startswith("documents/")}
    for name, text in documents.items():
        for link in Page(text).all("a"):
            place, _, anchor = link["href"].partition("#")
            if place.startswith(".."):
                continue
            target = documents[f"documents/{place}"] if place else text
            assert not anchor or f'id="{anchor}"' in target, (name, link)


def test_many_questions_are_split_into_pages(hostile, monkeypatch):
    from ragtrial.report.pages import folder

    monkeypatch.setattr(folder, "ROWS", 3)
    pages = dict(question_pages(hostile, list(Views(hostile))))
    assert list(pages) == ["questions.html", "questions-2.html"]
    assert [text.count("<tr data-type") for text in pages.values()] == [3, 1]
    assert 'href="questions-2.html"' in pages["questions.html"]


def test_a_question_about_no_document_and_a_record_without_texts_have_pages(hostile):
    from dataclasses import replace

    import polars as pl

    record = replace(hostile)
    record.__dict__["documents"] = hostile.documents.with_columns(pl.lit(None, dtype=pl.String).alias("text"))
    lost = pl.lit(
        [{"document": None, "text": "x", "starts": [], "ends": []}], dtype=hostile.questions.schema["evidence"]
    )
    record.__dict__["questions"] = hostile.questions.with_columns(
        pl.lit(None, dtype=pl.String).alias("document"), lost.alias("evidence")
    )
    record.__dict__["found"] = hostile.found
    pages = pages_of(record)
    assert "documents/0000.html" in pages
    assert "not located" in pages["documents/0000.html"]
    assert "holds no text" in pages["documents/0001.html"]


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted).map(tuple), max_size=4)


@given(
    st.text(st.one_of(st.characters(exclude_categories=[]), st.sampled_from("\r\n")), max_size=60),
    st.lists(SPANS.filter(bool), max_size=3),
    SPANS,
)
def test_a_text_with_marks_and_boundaries_is_still_the_text(text, chunks, evidence):
    groups = [Boundaries((f"arm {number}",), tuple((span,) for span in own)) for number, own in enumerate(chunks)]
    marks = [Mark(start, end, f"e{n}", "", "#q") for n, (start, end) in enumerate(evidence) if start < end]
    page = Page(f"<div>{marked_text(text, marks, groups)}</div>")
    assert page.text("div") == clean(text.replace("\r\n", "\n").replace("\r", "\n"))
    inside = {place for start, end in evidence for place in range(start, min(end, len(text)))}
    if "\r" not in text:
        assert len(page.text("mark")) == len(inside)
    begun = sum(start < len(text) for own in chunks for start, _ in own)
    assert sum("end" not in i["class"].split() for i in page.all("i")) == begun


def test_arms_that_cut_alike_are_drawn_once():
    one, two = ((0, 3),), ((3, 9),)
    groups = boundaries({"a": [one, two], "b": [one], "c": [one, two]})
    assert [(group.arms, len(group.chunks)) for group in groups] == [(("a", "c"), 2), (("b",), 1)]


def test_an_arm_of_very_many_chunks_is_not_drawn(monkeypatch):
    from ragtrial.report.pages import text as module

    monkeypatch.setattr(module, "CHUNKS_MOST", 2)
    many = Boundaries(("many",), (((0, 1),), ((1, 2),), ((2, 3),)))
    assert "<i" not in marked_text("abc", [], [many])


@given(st.text())
def test_any_text_in_a_table_is_text(words):
    data = Table(words, (words, "b"), ((words, "1"),), words)
    page = Page(_table(data))
    assert clean(words.split("\n")[0]) in page.text("bdi")


def _table(data):
    from ragtrial.report.pages.render import environment

    return (
        environment().from_string('{% from "parts.html" import table %}<div>{{ table(data) }}</div>').render(data=data)
    )


def test_report_and_pages_are_written_where_asked(real, tmp_path):
    path = write_report(real, tmp_path / "out")
    assert path == tmp_path / "out" / "report.html"
    assert 'href="report/questions.html"' in path.read_text(encoding="utf-8")
    assert (tmp_path / "out" / "report" / "questions.html").exists()
    assert (tmp_path / "out" / "report" / "documents" / "0001.html").exists()
    alone = write_report(real, tmp_path / "alone", questions=False)
    assert [p.name for p in alone.parent.iterdir()] == ["report.html"]
    assert "questions.html" not in alone.read_text(encoding="utf-8")
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(DataError, match="Cannot make the folder"):
        write_report(real, tmp_path / "taken")


CODE = """
import sys, hashlib, pathlib
from ragtrial.report.pages.answer import write_report
from ragtrial.report.costs import Prices
from ragtrial.trial.record import Record
out = pathlib.Path(sys.argv[2])
write_report(Record.open(sys.argv[1]), out, prices=Prices(0.02))
for path in sorted(out.rglob("*.html")):
    print(path.relative_to(out), hashlib.sha256(path.read_bytes()).hexdigest())
"""


def test_the_same_record_gives_the_same_bytes(hostile, tmp_path):
    """In processes with other hash seeds, time zones and locales."""
    surroundings = [
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
    ]
    outputs = []
    for number, env in enumerate(surroundings):
        words = [sys.executable, "-c", CODE, str(hostile.folder), str(tmp_path / str(number))]
        done = subprocess.run(words, env=os.environ | env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 5


def test_the_templates_are_package_data():
    from importlib.resources import files

    names = {path.name for path in (files("ragtrial.report") / "templates").iterdir()}
    assert names == {
        *("answer.html", "base.html", "document.html", "pages.css", "parts.html"),
        *("questions.html", "questions.js", "style.css"),
    }
