from collections import Counter

import pytest

from ragtrial.datasets.qasper.files import read_split, split_files
from ragtrial.datasets.qasper.load import load_qasper, read_selection
from ragtrial.datasets.qasper.mdk import SPLITS, build_mdk, eligible_questions, mdk_pool, mdk_sample, text_evidence
from ragtrial.errors import DataError, SpecError


def question(*answers, name="q"):
    records = [{"answer": {"unanswerable": unanswerable, "evidence": list(texts)}} for unanswerable, *texts in answers]
    return {"question": "What?", "question_id": name, "answers": records}


def paper(*questions, paragraphs=()):
    sections = [{"section_name": "S", "paragraphs": list(paragraphs)}]
    return {"title": "T", "abstract": "A", "full_text": sections, "qas": list(questions)}


def test_the_evidence_rule():
    asked = question(
        (False, "kept", "", " ", "FLOAT SELECTED: Table 1", "Method ::: Data", "kept too"),
        (True, "ignored"),
        (False, "not FLOAT SELECTED at the start"),
        (False,),
    )
    assert text_evidence(asked) == (("kept", "kept too"), (), ("not FLOAT SELECTED at the start",), ())


def test_a_paper_becomes_a_document_and_its_questions():
    first = question((False, "One two  three.", "Four five."), (True, "Six."), (False, "Four five."), name="q1")
    second = question((False, "FLOAT SELECTED: x"), (True, "Six."), name="q2")
    papers = {"p": paper(first, second, paragraphs=["One two three.", "Four five.", "Six."])}
    dataset = build_mdk(papers, ["p"], dialect="commonmark", name="the files")
    (document,) = dataset.documents
    assert document.id == "p"
    assert [heading.title for heading in document.headings] == ["T", "Abstract", "S"]
    (asked,) = dataset.questions
    assert (asked.id, asked.text, asked.document, asked.cluster) == ("q1", "What?", "p", "p")
    assert asked.evidence_texts == ("Four five.", "One two  three.")
    assert asked.annotators == ((0, 1), (), (0,))
    spans = [document.text[span.start : span.end] for evidence in asked.evidence for span in evidence.spans]
    assert spans == ["Four five.", "One two three."]
    assert [(item.id, item.where) for item in dataset.excluded] == [("q2", "the files: paper p")]
    assert dataset.funnel["questions in the files"] == 2
    assert dataset.funnel["evidence dropped: a figure or table"] == 1
    assert dataset.funnel["answers marked unanswerable"] == 2


def test_evidence_that_is_not_in_the_markdown_is_kept_without_a_span():
    papers = {"p": paper(question((False, "Elsewhere.")), paragraphs=["Here."])}
    dataset = build_mdk(papers, ["p"], dialect="study", name="f")
    assert dataset.questions[0].evidence[0].spans == ()
    assert dataset.funnel["evidence texts"] - dataset.funnel["evidence texts in the Markdown"] == 1


def test_the_pool_is_sorted_and_eligible():
    papers = {
        "b": paper(question((False, "x"))),
        "a": paper(question((False, "x"))),
        "c": paper(question((True, "x")), question((False, "A ::: B"))),
        "d": paper(question((False, "x"))),
    }
    assert mdk_pool(papers, without=["d"]) == ["a", "b"]


@pytest.fixture(scope="module")
def papers(shared):
    dev, test = (read_split(file) for file in split_files(shared("data/qasper"), SPLITS))
    return {"dev": dev, "test": test}


def test_the_published_sample_is_reproduced(papers, shared):
    pilot = read_selection(shared("data/selections/qasper-pilot-30.txt"))
    both = papers["dev"] | papers["test"]
    assert (len(papers["dev"]), len(papers["test"])) == (281, 416)
    assert len(both.keys() - set(pilot)) == 667
    pool = mdk_pool(both, without=pilot)
    assert len(pool) == 654
    sample = mdk_sample(pool)
    assert sample == read_selection(shared("data/selections/qasper-300.txt"))
    assert (len(papers["dev"].keys() & set(sample)), len(papers["test"].keys() & set(sample))) == (105, 195)


def test_the_pilot_papers_are_eligible_dev_papers(papers, shared):
    # Their order cannot be checked: the pilot shuffled the official file's order, and ours are sorted by id.
    pilot = read_selection(shared("data/selections/qasper-pilot-30.txt"))
    assert set(pilot) <= set(mdk_pool(papers["dev"]))
    assert sum(eligible_questions(papers["dev"][paper]) for paper in pilot) == 79


def test_the_published_counts_of_the_300_papers(shared):
    selection = shared("data/selections/qasper-300.txt")
    dataset = load_qasper(shared("data/qasper"), protocol="mdk", select=selection)
    assert [document.id for document in dataset.documents] == read_selection(selection)
    assert all(document.verify() == [] for document in dataset.documents)
    questions = dataset.questions
    assert len(questions) == len({question.id for question in questions}) == 951
    assert sum(len(question.evidence) for question in questions) == 2245
    assert Counter(len(question.annotators) for question in questions) == {1: 80, 2: 601, 3: 233, 4: 33, 5: 4}
    assert Counter(question.type for question in questions) == {"extractive": 578, "abstractive": 234, "boolean": 139}
    sizes = Counter(min(len(question.evidence), 4) for question in questions)
    assert sizes == {1: 432, 2: 269, 3: 100, 4: 150}
    texts = {document.id: document.text for document in dataset.documents}
    evidence = [item for question in questions for item in question.evidence]
    assert sum(item.text.strip() in texts[item.document] for item in evidence) == 2231
    assert all(
        texts[item.document][span.start : span.end].split() == item.text.split()
        for item in evidence
        for span in item.spans
    )
    assert dataset.funnel == {
        "papers": 300,
        "questions in the files": 1054,
        "answers marked unanswerable": 232,
        "evidence dropped: a figure or table": 283,
        "evidence dropped: a section name": 99,
        "evidence dropped: blank": 0,
        "questions without text evidence": 103,
        "questions": 951,
        "evidence texts": 2245,
        "evidence texts in the Markdown": 2245,
    }
    assert len(dataset.excluded) == 103
    order = [question.document for question in questions]
    assert order == sorted(order, key=[document.id for document in dataset.documents].index)
    assert dataset.meta["licence"] == "CC BY 4.0"


def test_the_pilot_needs_the_dev_split_only(shared):
    dataset = load_qasper(shared("data/qasper"), select=shared("data/selections/qasper-pilot-30.txt"), dialect="study")
    assert (len(dataset.documents), len(dataset.questions)) == (30, 79)
    assert dataset.meta["files"] == "qasper-dev-v0.3.json.gz"


def test_the_questions_of_the_pilot_are_in_file_order(shared, papers):
    dataset = load_qasper(shared("data/qasper"), select=shared("data/selections/qasper-pilot-30.txt"))
    for document in dataset.documents:
        asked = [question.id for question in dataset.questions if question.document == document.id]
        filed = [record["question_id"] for record in papers["dev"][document.id]["qas"]]
        assert asked == [name for name in filed if name in set(asked)]


def test_one_file_without_a_selection_gives_its_eligible_papers(shared, papers):
    dataset = load_qasper(shared("data/qasper/qasper-dev-v0.3.json.gz"))
    assert [document.id for document in dataset.documents] == mdk_pool(papers["dev"])
    assert len(dataset.documents) == 276


def test_selected_papers_that_are_not_there_are_all_named(shared, tmp_path):
    selection = tmp_path / "s.txt"
    selection.write_text("1503.00841\n\n9999.00001\nnothing\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"2 selected papers are not in .*dev.* and .*test.*: 9999\.00001, nothing\."):
        load_qasper(shared("data/qasper"), select=selection)


def test_selections_with_faults(tmp_path):
    path = tmp_path / "s.txt"
    with pytest.raises(DataError, match=r"Cannot read the selection .*s\.txt: no such file"):
        read_selection(path)
    path.write_text(" \n", encoding="utf-8")
    with pytest.raises(DataError, match="is empty"):
        read_selection(path)
    path.write_text("a\nb\na\n", encoding="utf-8")
    with pytest.raises(DataError, match="more than once: a"):
        read_selection(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        read_selection(path)
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert read_selection(path) == ["a", "b"]


def test_an_unknown_protocol_is_refused(tmp_path):
    with pytest.raises(SpecError, match=r"QASPER has no protocol 'mkd'\. Did you mean 'mdk'\?"):
        load_qasper(tmp_path, protocol="mkd")
