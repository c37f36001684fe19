import bz2
import gzip
import json
import random

import pytest

from ragtrial.datasets.registry import load_dataset
from ragtrial.datasets.wikipedia.files import read_articles
from ragtrial.datasets.wikipedia.load import Filters, load_wikipedia
from ragtrial.datasets.wikipedia.topics import topic
from ragtrial.errors import DataError, SpecError
from ragtrial.trial.config import Trial
from ragtrial.trial.corpus import load_corpus

SMALL = {"words": 5, "depth": 3, "headings": 2}


def article(title, words=20, category="Towns in X", mark=""):
    body = " ".join(f"word{number}" for number in range(words))
    return {
        "title": title,
        "wikitext": f"{mark}Lead.\n== A ==\n=== B ===\n{body}\n== Empty ==\n[[Category:{category}]]",
    }


def lines(path, *articles):
    path.write_text("".join(json.dumps(row) + "\n" for row in articles), encoding="utf-8")
    return path


def test_a_flat_article_has_no_headings_in_its_text_and_exact_sections(tmp_path):
    path = lines(tmp_path / "a.jsonl", article("town_one", words=3))
    (document,) = load_wikipedia(path, filters=Filters(**(SMALL | {"words": 1}))).documents
    assert document.id == "Town one"
    assert document.text == "Lead.\n\nword0 word1 word2"
    assert document.verify() == []
    assert [(section.path, section.first, section.last) for section in document.sections] == [
        ((), 0, 1),
        (("A", "B"), 1, 2),
    ]
    assert document.headings == ()
    assert document.line_at(document.text.index("word2")) == 4
    assert document.meta["topic"] == "geography/places"


def test_the_walk_is_the_seeds_and_topics_have_a_cap(tmp_path):
    names = [f"T{number:02}" for number in range(20)]
    path = lines(
        tmp_path / "a.jsonl", *(article(name, category="Films" if n % 2 else "Towns") for n, name in enumerate(names))
    )
    order = sorted(names)
    random.Random(7).shuffle(order)
    dataset = load_wikipedia(path, filters=Filters(**SMALL, seed=7, cap=3, stop=5))
    ids = [document.id for document in dataset.documents]
    assert len(ids) == 5
    assert ids == [name for name in order if name in ids]
    assert dataset.funnel["topic arts/media"] + dataset.funnel["topic geography/places"] == 5
    assert max(dataset.funnel["topic arts/media"], dataset.funnel["topic geography/places"]) == 3
    again = load_wikipedia(path, filters=Filters(**SMALL, seed=7, cap=3, stop=5))
    assert [document.text for document in again.documents] == [document.text for document in dataset.documents]


def test_filters_and_titles_are_counted(tmp_path):
    rows = [
        article("One"),
        article("one"),
        article("Short", words=1),
        {"title": "Flat", "wikitext": "word " * 30 + "\n== A =="},
    ]
    path = lines(tmp_path / "a.jsonl", *rows)
    dataset = load_wikipedia(path, filters=Filters(**SMALL))
    assert [document.id for document in dataset.documents] == ["One"]
    steps = ("articles read", "same title", "articles tried", "too few words", "headings not deep enough", "articles")
    assert [dataset.funnel[step] for step in steps] == [4, 1, 3, 1, 1, 1]


def test_only_featured_articles(tmp_path):
    path = lines(tmp_path / "a.jsonl", article("A"), article("B", mark="{{Featured article}}\n"))
    dataset = load_wikipedia(path, protocol="featured", filters=Filters(**SMALL))
    assert [document.id for document in dataset.documents] == ["B"]
    assert dataset.funnel["not featured"] == 1


@pytest.mark.parametrize(
    ("categories", "bucket"),
    [
        (["Battles of X", "1900 births"], "history/war"),
        (["1900 births", "Physics"], "biography"),
        (["Organic chemistry"], "science/nature"),
        (["2000 films"], "arts/media"),
        (["Rivers of X"], "geography/places"),
        (["Things"], "other"),
        (["Articles with unsourced statements about wars", "Wikipedia people"], "other"),
        (["Warsaw"], "other"),
        ([], "other"),
    ],
)
def test_topics_are_tried_in_order(categories, bucket):
    assert topic(categories) == bucket


XML = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">
<page><title>One</title><ns>0</ns><revision><text xml:space="preserve">a &amp; b</text></revision></page>
<page><title>Talk:One</title><ns>1</ns><revision><text>talk</text></revision></page>
<page><title>Other</title><ns>0</ns><redirect title="One"/><revision><text>#REDIRECT [[One]]</text></revision></page>
<page><title>Два</title><ns>0</ns><revision><text>текст</text></revision></page>
</mediawiki>"""


@pytest.mark.parametrize(("name", "pack"), [("d.xml", bytes), ("d.xml.bz2", bz2.compress), ("d.xml.gz", gzip.compress)])
def test_a_dump_is_read_page_by_page(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(XML.encode()))
    for path in (tmp_path / name, tmp_path):
        assert [(found.title, found.wikitext) for found in read_articles(path)] == [("One", "a & b"), ("Два", "текст")]


def test_a_folder_of_pages(tmp_path):
    (tmp_path / "B_page.wikitext").write_text("b", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"title": "A", "text": "a"}\n\n', encoding="utf-8")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    assert [found[:2] for found in read_articles(tmp_path)] == [("B page", "b"), ("A", "a")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"{", "a.jsonl:1 is not JSON"),
        ("a.jsonl", b'{"title": "x"}', "a.jsonl:1 is no article"),
        ("a.jsonl", b"[]", "a.jsonl:1 is no article"),
        ("a.jsonl.gz", b"x", "Cannot read"),
        ("a.xml", b"<mediawiki><page>", "is damaged"),
        ("a.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><mediawiki/>', "has a document type"),
        ("a.txt", b"", "no Wikipedia articles"),
    ],
)
def test_faults(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        list(read_articles(tmp_path))


def test_the_reader_is_registered(tmp_path):
    with pytest.raises(SpecError, match=r"no protocol 'kmrr'\. Did you mean 'kmr'"):
        load_dataset("wikipedia", path=tmp_path, protocol="kmrr")


def test_questions_of_ones_own(tmp_path):
    path = lines(tmp_path / "a.jsonl", article("A", words=3500))
    (tmp_path / "q.jsonl").write_text('{"question": "Which?", "evidence": ["word7 word8"]}\n', encoding="utf-8")
    dataset = load_wikipedia(path, questions=tmp_path / "q.jsonl", filters=Filters(headings=3))
    assert dataset.questions[0].evidence[0].document == "A"


def test_the_articles_at_hand_give_what_is_known(shared):
    dataset = load_dataset("wikipedia", path=shared("data/wikipedia"))
    assert dataset.funnel["articles read"] == 114
    assert dataset.funnel["same title"] == 1, (
        "Anarchism is there twice, and both pass the filters: 65 articles, 64 titles"
    )
    assert len(dataset.documents) == 64
    for document in dataset.documents:
        assert document.verify() == []
        assert max(len(section.path) for section in document.sections) >= 2
    assert all(mark not in document.text.lower() for document in dataset.documents for mark in ("{{", "[[", "<ref"))


def test_a_trial_file_can_name_it(tmp_path):
    rows = [article(f"{name} long", words=3500) for name in "AB"]
    for row in rows:
        row["wikitext"] += "\n== C ==\nx" * 12
    lines(tmp_path / "a.jsonl", *rows)
    (tmp_path / "q.jsonl").write_text(
        '{"question": "Which?", "evidence": ["word7 word8"], "document": "B long"}\n', encoding="utf-8"
    )
    dataset = {"reader": "wikipedia", "path": str(tmp_path / "a.jsonl"), "questions": str(tmp_path / "q.jsonl")}
    corpus = load_corpus(Trial.of({"dataset": dataset, "arms": {"a": "headers"}, "retrievers": {"bm25": "bm25"}}))
    assert sorted(document.id for document in corpus.documents) == ["A long", "B long"]
    assert corpus.questions[0].document == "B long"
