"""Question files of other tools: small ones of each, read, located, written and read again."""

import contextlib
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.markdown import read_markdown
from ragtrial.documents.plain import read_text
from ragtrial.errors import DataError
from ragtrial.questions.formats.detect import read_drafts
from ragtrial.questions.load import read_questions
from ragtrial.questions.write import questions_text

LAMPS = "Lamps are lit at dusk by the keeper. They burn until dawn."
SHIPS = "Ships wait outside the harbour. The tide decides when they enter."
TEXT = f"# Harbour\n\n{LAMPS}\n\n{SHIPS}\n"
DOCUMENT = read_markdown(TEXT, id="harbour.md")
LIT = "Lamps are lit at dusk by the keeper."
WAIT = "Ships wait outside the harbour."


@pytest.fixture
def read(tmp_path):
    def read_content(name, content, documents=(DOCUMENT,)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        if isinstance(content, pl.DataFrame):
            content.write_parquet(path)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        reading = read_questions(path, documents)
        # What was located is written in our own form and comes back the same.
        again = tmp_path / "again.jsonl"
        again.write_text(questions_text(reading.questions), encoding="utf-8")
        if reading.questions:
            assert read_questions(again, documents).questions == reading.questions
        return reading

    return read_content


def lines(*records):
    return "\n".join(json.dumps(record) for record in records)


def evidence(reading):
    return [question.evidence_texts for question in reading.questions]


def test_mdkeychunker(read):
    reading = read(
        "qa.jsonl",
        lines(
            {"question": "When?", "gold": [LIT], "doc_id": "harbour.md"},
            {"query": "Where?", "gold": [{"doc_id": "harbour.md", "start": TEXT.index(WAIT), "end": len(TEXT) - 1}]},
            {"question": "Who?", "gold": [["harbour.md", 11, 20], {"text": WAIT}], "note": "x"},
        ),
    )
    assert reading.format == "mdkeychunker"
    assert evidence(reading) == [(LIT,), (SHIPS,), (TEXT[11:20], WAIT)]
    assert reading.unread == ("note",)


def test_context_grid(read):
    anchor = {"source_id": "harbour.md", "quote": LIT, "grade": 2, "occurrence": 0, "page_hint": None}
    reading = read(
        "evalset.jsonl",
        lines(
            {"_evalset": {"id": "harbour", "version": 1, "source": "manual", "meta": {}}},
            {
                "id": "a",
                "question": "When?",
                "anchors": [anchor, anchor | {"quote": WAIT, "grade": 0}],
                "qtype": "factoid",
            },
            {"id": "b", "question": "Where?", "gold": [{"doc_id": "harbour.md", "start": 11, "end": 20, "grade": 1}]}
            | {"anchors": [], "answer": "outside", "meta": {"reviewed": True}, "mood": "good"},
        ),
    )
    assert (reading.format, reading.unread) == ("context-grid", ("mood",))
    assert evidence(reading) == [(LIT,), (TEXT[11:20],)]
    assert [(q.id, q.type, q.answers) for q in reading.questions] == [("a", "factoid", ()), ("b", None, ("outside",))]


def test_context_grids_table(read):
    table = (
        "id,question,source_id,quote,grade,page,occurrence,qtype,answer,meta\n"
        f'a,When?,harbour.md,"{LIT}",2,,0,factoid,at dusk,"{{""reviewed"": true}}"\n'
        f"b,Where?,harbour.md,{WAIT},2,,0,,,\n"
    )
    reading = read("evalset.csv", table)
    assert (reading.format, reading.unread) == ("csv", ())
    assert evidence(reading) == [(LIT,), (WAIT,)]
    assert reading.questions[0].answers == ("at dusk",)


def test_chunklab(read):
    reading = read(
        "questions.yaml",
        f"""
questions:
  - id: q1
    query: "When?"
    gold_snippets: ["{LIT}"]
    tags: [night]
    reviewed: false
  - id: q2
    query: "Where?"
    gold_snippets:
      - - "{WAIT}"
        - "Nowhere to be seen in this text at all."
      - "They burn until dawn."
  - id: q3
    query: "No evidence yet?"
""",
    )
    assert reading.format == "chunklab"
    assert evidence(reading) == [(LIT,), (WAIT, "They burn until dawn.")]
    assert reading.questions[0].type == "night"
    (excluded,) = reading.excluded
    assert (excluded.id, excluded.reason) == ("q3", "it has no evidence")


RAGAS = {
    "user_input": "When?",
    "reference_contexts": [LIT],
    "reference": "At dusk.",
    "synthesizer_name": "single_hop",
}


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
def test_ragas(read, kind):
    other = RAGAS | {"user_input": "Where?", "reference_contexts": [WAIT, LIT], "colour": "red"}
    records = [RAGAS | {"colour": "blue"}, other]
    if kind == "jsonl":
        content = lines(*records)
    elif kind == "json":
        content = records
    elif kind == "csv":
        # As pandas writes lists.
        rows = [record | {"reference_contexts": repr(record["reference_contexts"])} for record in records]
        content = pl.DataFrame(rows).write_csv()
    else:
        content = pl.DataFrame(records)
    reading = read(f"testset.{kind}", content)
    assert (reading.format, reading.unread) == ("ragas", ("colour",))
    assert evidence(reading) == [(LIT,), (WAIT, LIT)]
    assert [(q.type, q.answers) for q in reading.questions] == [("single_hop", ("At dusk.",))] * 2


def test_old_ragas_tables(read):
    row = {
        "question": "When?",
        "contexts": [LIT],
        "ground_truth": "At dusk.",
        "evolution_type": "simple",
        "metadata": "x",
    }
    reading = read("old.json", [row])
    assert (reading.format, reading.unread, evidence(reading)) == ("ragas", (), [(LIT,)])


def test_autorag(read, tmp_path):
    corpus = pl.DataFrame({"doc_id": ["p1", "p2", "p3"], "contents": [LIT, WAIT, "Not in the text of the harbour."]})
    corpus.write_parquet(tmp_path / "corpus.parquet")
    qa = pl.DataFrame(
        {
            "qid": ["a", "b"],
            "query": ["When?", "Where or when?"],
            "retrieval_gt": [[["p1"]], [["p1", "p3"], ["p2"]]],
            "generation_gt": [["at dusk"], ["outside", "there"]],
            "shade": ["x", "y"],
        }
    )
    reading = read("qa.parquet", qa)
    assert (reading.format, reading.unread) == ("autorag", ("shade",))
    assert evidence(reading) == [(LIT,), (LIT, WAIT)]
    assert reading.questions[1].answers == ("outside", "there")
    with pytest.raises(DataError, match=r"question 1: the passage 'p9' is not in corpus\.parquet"):
        read("other.json", [{"qid": "a", "query": "?", "retrieval_gt": ["p9"]}])
    (tmp_path / "corpus.parquet").unlink()
    with pytest.raises(DataError, match=r"there is no corpus.parquet beside it"):
        read("qa.parquet", qa)


def test_freshstack(read):
    start = TEXT.index(WAIT)
    nugget = {
        "_id": "1_nugget_0",
        "text": "they wait",
        "relevant_corpus_ids": [f"harbour.md_{start}_{start + len(WAIT)}"],
    }
    record = {
        "query_id": "1",
        "query_title": "Where do ships wait?",
        "query_text": "<p>I see none &amp; wonder.</p>",
        "nuggets": [nugget, nugget | {"text": "outside", "non_relevant_corpus_ids": []}],
        "answer_id": "2",
        "answer_text": "Outside.",
        "metadata": {"tags": []},
    }
    reading = read("queries.jsonl", lines(record))
    (question,) = reading.questions
    assert (reading.format, reading.unread) == ("freshstack", ())
    assert question.text == "Where do ships wait?\n\nI see none & wonder."
    assert question.evidence_texts == (WAIT,)
    assert question.nuggets == ("they wait", "outside")
    assert read("queries.parquet", pl.DataFrame([record])).questions == reading.questions
    nugget["relevant_corpus_ids"].append("no_range")
    with pytest.raises(DataError, match="the corpus id 'no_range' is not path_start_end"):
        read("queries.jsonl", lines(record))


def test_squad(read):
    def qa(number, *answers, impossible=False):
        found = [{"text": text, "answer_start": LAMPS.index(text)} for text in answers]
        return {"id": f"q{number}", "question": f"{number}?", "answers": found, "is_impossible": impossible}

    paragraph = {"context": LAMPS, "qas": [qa(1, "at dusk", "dusk"), qa(2, "keeper", "dawn"), qa(3, impossible=True)]}
    content = {"version": "v2.0", "data": [{"title": "Harbour", "paragraphs": [paragraph]}]}
    reading = read("dev-v2.0.json", content)
    assert reading.format == "squad"
    assert evidence(reading) == [(LIT,), (LIT, "They burn until dawn.")]
    assert reading.questions[0].answers == ("at dusk", "dusk")
    assert reading.questions[1].evidence_groups == ((LIT,), ("They burn until dawn.",))
    assert [item.id for item in reading.excluded] == ["q3"]
    assert {question.cluster for question in reading.questions} == {"Harbour"}


def test_qasper(read):
    def answer(*texts, unanswerable=False):
        return {"answer": {"unanswerable": unanswerable, "evidence": list(texts)}}

    asked = {
        "question": "When?",
        "question_id": "a",
        "answers": [answer(LAMPS), answer(LAMPS, SHIPS), answer(unanswerable=True)],
    }
    figure = {"question": "What?", "question_id": "b", "answers": [answer("FLOAT SELECTED: Figure 1", "A ::: B")]}
    content = {"1909.1": {"title": "T", "abstract": "A", "full_text": [], "qas": [asked, figure]}}
    reading = read("qasper-dev-v0.3.json", content)
    assert reading.format == "qasper"
    assert evidence(reading) == [(LAMPS, SHIPS)]
    assert reading.questions[0].annotators == ((0,), (0, 1))
    assert [item.id for item in reading.excluded] == ["b"]


def test_real_qasper_questions_are_found_in_their_papers(shared, tmp_path):
    import gzip

    from ragtrial.datasets.registry import load_dataset

    path = shared("data/qasper/qasper-dev-v0.3.json.gz")
    papers = json.loads(gzip.decompress(path.read_bytes()))
    some = dict(list(papers.items())[:5])
    dataset = load_dataset("qasper", path=str(path), protocol="mdk")
    documents = [document for document in dataset.documents if document.id in some]
    if not documents:
        documents = [
            read_text("\n\n".join(part for s in paper["full_text"] for part in s["paragraphs"] if part), id=name)
            for name, paper in some.items()
        ]
    (tmp_path / "some.json").write_text(json.dumps(some), encoding="utf-8")
    reading = read_questions(tmp_path / "some.json", documents)
    held = {document.id for document in documents}
    assert reading.format == "qasper"
    found = [question for question in reading.questions if question.cluster in held]
    assert found
    for question in found:
        assert question.document == question.cluster


@pytest.fixture
def beir(tmp_path):
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    queries = [{"_id": "1", "text": "When?"}, {"_id": "2", "text": "Where?"}, {"_id": "3", "text": "Not judged?"}]
    (folder / "queries.jsonl").write_text(lines(*queries), encoding="utf-8")
    qrels = "query-id\tcorpus-id\tscore\n1\tp1\t1\n2\tp2\t2\n2\tp1\t0\n"
    (folder / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    corpus = [{"_id": "p1", "title": "", "text": LAMPS}, {"_id": "p2", "title": "", "text": SHIPS}]
    (folder / "corpus.jsonl").write_text(lines(*corpus), encoding="utf-8")
    return folder


def test_beir(beir):
    reading = read_questions(beir, [DOCUMENT])
    assert reading.format == "beir"
    assert [(q.id, q.evidence_texts) for q in reading.questions] == [("1", (LAMPS,)), ("2", (SHIPS,))]
    (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "dev.tsv")
    assert read_questions(beir, [DOCUMENT]).questions == reading.questions
    (beir / "qrels" / "train.tsv").write_text("1\t0\tp1\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"needs test\.tsv or one other"):
        read_questions(beir, [DOCUMENT])


def test_beir_without_its_corpus_names_documents(beir):
    (beir / "corpus.jsonl").unlink()
    documents = [read_text(LAMPS, id="p1"), read_text(SHIPS, id="p2")]
    assert evidence(read_questions(beir, documents)) == [(LAMPS,), (SHIPS,)]


def test_faults_of_a_beir_folder_are_told(beir):
    (beir / "qrels" / "test.tsv").write_text("1\tp9\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"the passage 'p9' is not in corpus\.jsonl"):
        read_questions(beir, [DOCUMENT])
    (beir / "qrels" / "test.tsv").write_text("h\n1\tp1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"test.tsv:2: a judgement is query, passage and score"):
        read_questions(beir, [DOCUMENT])


def test_our_own_tables(read):
    table = (
        "\ufeffid;question;evidence;document;type;Colour\r\n"
        f'a;When?;"{LIT}";harbour.md;night;red\r\n'
        f"a;When?;{WAIT};;;\r\n"
        f";;They burn until dawn.;;;\r\n"
        "b;Where?;harbour.md > Harbour;;;\r\n"
    )
    reading = read("q.csv", table)
    assert (reading.format, reading.unread) == ("csv", ("Colour",))
    assert evidence(reading) == [(LIT, WAIT, "They burn until dawn."), (f"{LAMPS}\n\n{SHIPS}",)]
    assert reading.questions[0].type == "night"


def test_places_in_tables(read):
    table = pl.DataFrame({"q": ["When?"], "doc": ["harbour.md"], "start": [11], "end": [20]})
    assert evidence(read("q.parquet", table)) == [(TEXT[11:20],)]
    assert evidence(read("q.tsv", "q\tdoc\tstart\tend\nWhen?\tharbour.md\t11\t20\n")) == [(TEXT[11:20],)]
    with pytest.raises(DataError, match=r"q.tsv:2: evidence 1 needs whole numbers"):
        read("q.tsv", "q\tdoc\tstart\tend\nWhen?\tharbour.md\t11\tx\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.csv", "evidence\nx\n", "has no column 'question'"),
        ("q.csv", "question,question\na,b\n", "two columns of one name"),
        ("q.csv", "question,evidence\na,b,c\n", r"q.csv:2: the row has 3 cells, but there are 2 columns"),
        ("q.csv", "question,evidence\n", "There is no question in"),
        ("q.csv", "", "There is no question in"),
        ("q.json", "[", "is not JSON"),
        ("q.json", "{}", "in none of the known formats"),
        ("q.json", "[3]", "question 1: it is no mapping"),
        ("q.yaml", "a: [", "is not YAML"),
        ("q.yaml", "!!python/object/apply:os.system [true]", "is not YAML"),
        ("q.parquet", "no parquet", "is no Parquet file"),
        ("q.jsonl", '{"question": "?", "gold": [{"start": 2, "end": 1, "doc_id": "x"}]}', "0 <= start < end"),
        ("q.jsonl", '{"user_input": "", "reference_contexts": ["x"]}', "'question' is missing or blank"),
    ],
)
def test_faults_are_told(read, name, content, message):
    with pytest.raises(DataError, match=message):
        read(name, content)


@given(st.binary(max_size=200), st.sampled_from(["jsonl", "json", "csv", "tsv", "yaml"]))
def test_no_file_breaks_the_reader(tmp_path_factory, content, kind):
    path = tmp_path_factory.mktemp("any") / f"q.{kind}"
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        assert read_drafts(path).drafts


KEYS = [
    "question",
    "evidence",
    "gold",
    "anchors",
    "nuggets",
    "query_id",
    "gold_snippets",
    "query",
    "user_input",
    "doc_id",
]
KEYS += [
    "reference_contexts",
    "contexts",
    "data",
    "paragraphs",
    "qas",
    "questions",
    "qtype",
    "start",
    "end",
    "text",
    "id",
]

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=5) | st.lists(values, max_size=3))
def test_no_record_breaks_the_reader(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "q.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with contextlib.suppress(DataError):
        assert read_drafts(path).drafts
