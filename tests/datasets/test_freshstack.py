import gzip
import json
import random

import polars as pl
import pytest

from ragtrial.datasets.freshstack.files import Query, parse_chunk_id
from ragtrial.datasets.freshstack.load import load_freshstack, query_text, sample_documents
from ragtrial.datasets.registry import load_dataset
from ragtrial.documents.parts import Span
from ragtrial.errors import DataError, SpecError

CACHE = "# Caché\n\nStore a value.\n\n## Forget\n\nForget a value.\n\nrepeated\n\nrepeated\n"


def chunk(path, text, part, shift=0):
    start = text.index(part) + shift
    return {"_id": f"{path}_{start}_{start + len(part)}", "text": part, "metadata": {"url": "x"}}


CHUNKS = {
    "exact": chunk("docs/en/cache.md", CACHE, "Store a value."),
    "moved": chunk("docs/en/cache.md", CACHE, "Forget a value.", shift=3),
    "twice": chunk("docs/en/cache.md", CACHE, "repeated", shift=2),
    "gone": {"_id": "docs/en/cache.md_0_4", "text": "Never there"},
    "code": {"_id": "src/cache.php_0_4", "text": "code"},
    "other": chunk("docs/en/sub/queue.md", "# Queue\n", "# Queue"),
}


def query(number, *chunks, **keys):
    nuggets = [
        {
            "_id": f"q{number}_n{n}",
            "text": f"fact {n}",
            "relevant_corpus_ids": [CHUNKS[name]["_id"]],
            "non_relevant_corpus_ids": [],
        }
        for n, name in enumerate(chunks)
    ]
    row = {
        "query_id": f"q{number}",
        "query_title": "How &lt;b&gt;?",
        "query_text": "<p>In <code>a &lt; b</code></p>",
        "nuggets": nuggets,
    }
    return {**row, "answer_id": "1", "answer_text": "So.", "metadata": {"date": "2024", "tags": []}, **keys}


QUERIES = [query(1, "exact", "moved", "exact"), query(2, "twice", "gone", "code"), query(3, "other")]


def write(folder, name, rows, kind):
    if kind == "parquet":
        pl.DataFrame(rows).write_parquet(folder / f"{name}-00000-of-00001.parquet")
        return
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if kind == "gz":
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def make(tmp_path, domain="laravel", kind="jsonl"):
    folder = tmp_path / domain
    (folder / "docs" / "sub").mkdir(parents=True)
    (folder / "docs" / "cache.md").write_text(CACHE, encoding="utf-8")
    (folder / "docs" / "sub" / "queue.md").write_text("# Queue\n", encoding="utf-8")
    for number in range(6):
        (folder / "docs" / f"extra{number}.md").write_text("# Extra\n", encoding="utf-8")
    (folder / "docs" / "notes.txt").write_text("x", encoding="utf-8")
    write(folder, "queries", QUERIES, kind)
    write(folder, "corpus", [{"_id": row["_id"], "text": row["text"]} for row in CHUNKS.values()], kind)
    return tmp_path


@pytest.mark.parametrize("kind", ["jsonl", "gz", "parquet"])
def test_questions_have_the_union_of_their_nuggets_chunks(tmp_path, kind):
    dataset = load_dataset("freshstack", path=make(tmp_path, kind=kind))
    first, third = dataset.questions
    assert first.text == "How &lt;b&gt;?\n\nIn a < b"
    forget = CACHE.index("Forget a value.")
    assert [(item.document, item.spans, item.text) for item in first.evidence] == [
        ("laravel/cache.md", (Span(9, 23),), "Store a value."),
        ("laravel/cache.md", (Span(forget, forget + 15),), "Forget a value."),
    ]
    assert (first.cluster, first.stratum, first.document) == ("q1", "laravel", "laravel/cache.md")
    assert (first.answers, first.nuggets) == (("So.",), ("fact 0", "fact 1", "fact 2"))
    assert third.document == "laravel/sub/queue.md"
    assert [(item.id, item.reason) for item in dataset.excluded] == [
        ("q2", "no chunk that supports it stands in the documentation")
    ]
    assert (dataset.pool, dataset.words) == ("group", "study")
    assert {document.meta["group"] for document in dataset.documents} == {"laravel"}


def test_everything_dropped_is_counted(tmp_path):
    funnel = load_freshstack(make(tmp_path)).funnel
    assert {key: value for key, value in funnel.items() if value} == {
        "queries": 3,
        "gold chunks": 6,
        "gold by offsets": 2,
        "gold by its only occurrence": 1,
        "gold outside the documentation": 1,
        "gold not found": 1,
        "gold found twice": 1,
        "questions": 2,
        "questions without gold": 1,
        "files": 8,
        "files with gold": 2,
        "documents": 8,
    }


def test_other_domains_are_sampled(tmp_path):
    dataset = load_freshstack(make(tmp_path, "angular"))
    extra = random.Random(2027).sample([f"extra{number}.md" for number in range(6)], 1)
    expected = [f"angular/{name}" for name in sorted(["cache.md", "sub/queue.md", *extra])]
    assert [document.id for document in dataset.documents] == expected
    assert len(load_freshstack(tmp_path, protocol="all").documents) == 8


def test_the_sample_is_the_papers():
    gold, others = [f"g{n}" for n in range(5)], [f"o{n:02}" for n in range(20)]
    drawn = random.Random(2027).sample(sorted(others), 2)
    assert sample_documents(gold, [*reversed(others), *gold]) == sorted([*gold, *drawn])
    assert sample_documents(gold, ["o"]) == [*gold, "o"]
    assert sample_documents([], others) == []


def test_domains_stand_beside_each_other(tmp_path):
    dataset = load_freshstack(make(make(tmp_path, "angular"), "laravel"), select=None)
    assert {(question.stratum, question.type) for question in dataset.questions} == {
        ("angular", "angular"),
        ("laravel", "laravel"),
    }


def test_a_selection(tmp_path):
    make(tmp_path)
    (tmp_path / "ids.txt").write_text("q3\n", encoding="utf-8")
    dataset = load_freshstack(tmp_path, select=tmp_path / "ids.txt")
    assert [question.id for question in dataset.questions] == ["q3"]
    (tmp_path / "ids.txt").write_text("q3\nq9\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"1 selected queries are not in .*: q9"):
        load_freshstack(tmp_path, select=tmp_path / "ids.txt")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/b_c.md_1_22", ("a/b_c.md", 1, 22)),
        ("a.md_1", None),
        ("a.md", None),
        ("_1_2", None),
        ("a_b_1_2_3_4", ("a_b_1_2", 3, 4)),
    ],
)
def test_ids(name, expected):
    assert parse_chunk_id(name) == expected


def test_the_body_loses_its_html():
    body = "<p>a <!-- x --> &amp; b</p>\n<pre><code>if (a &lt; b) {}</code></pre> 1 < 2"
    assert query_text(Query("q", " T ", body, "", (), "")) == "T\n\na  & b\nif (a < b) {} 1 < 2"
    assert query_text(Query("q", "T", " ", "", (), "")) == "T"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("queries.jsonl", "{", "is damaged"),
        ("queries.jsonl", "[]", "is no query"),
        ("queries.jsonl", '{"query_id": "a"}', "no 'query_title'"),
        ("queries.jsonl", '{"query_id": "a", "query_title": "", "query_text": ""}', "no list 'nuggets'"),
        ("corpus.jsonl", '{"_id": "a"}', "is no chunk of FreshStack"),
    ],
)
def test_faults(tmp_path, name, content, message):
    make(tmp_path)
    (tmp_path / "laravel" / name).write_text(content + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        load_freshstack(tmp_path)


def test_what_is_missing_is_told(tmp_path):
    with pytest.raises(SpecError, match="no protocol 'mdkk'"):
        load_freshstack(tmp_path, protocol="mdkk")
    with pytest.raises(DataError, match="There is no FreshStack"):
        load_freshstack(tmp_path)
    make(tmp_path)
    (tmp_path / "laravel" / "corpus.jsonl").unlink()
    with pytest.raises(DataError, match=r"no corpus\.jsonl"):
        load_freshstack(tmp_path)
