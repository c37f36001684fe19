"""QASPER under the protocol of KMR: the rules on small papers, and the published counts on all of them."""

import json
import re
import sys

import pytest

from ragtrial.chunkers.sections import Sections
from ragtrial.datasets.qasper.answers import question_type
from ragtrial.datasets.qasper.evidence import Finder
from ragtrial.datasets.qasper.flat import to_flat
from ragtrial.datasets.qasper.kmr import build_kmr, kept_evidence
from ragtrial.datasets.qasper.load import load_qasper, read_selection
from ragtrial.errors import DataError, MissingExtraError
from ragtrial.prefixes.breadcrumb import Breadcrumb
from ragtrial.prefixes.placebo import Placebo

SECTIONS = {
    "Method": ["We train a model on news for ten epochs.", "A second paragraph."],
    "Method ::: Data": ["The corpus has nine thousand sentences of news."],
    "Empty": [],
    "Results": ["Method", "It works well."],
    "Void": [],
}


def paper(*questions, sections=SECTIONS):
    full_text = [{"section_name": name, "paragraphs": paragraphs} for name, paragraphs in sections.items()]
    return {"title": "T", "abstract": "We study news.", "full_text": full_text, "qas": list(questions)}


def question(*answers, name="q"):
    records = []
    for answer in answers:
        unanswerable, *evidence = answer
        records.append({"answer": {"unanswerable": unanswerable, "evidence": evidence}})
    return {"question": "What?", "question_id": name, "answers": records}


def found(evidence, threshold=90.0):
    flat = to_flat(paper(), "p")
    place = Finder(flat, threshold).find(evidence)
    return place and (flat.document.text[place.span.start : place.span.end], place.how)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("A second paragraph.", ("A second paragraph.", "exact")),
        (" A second\n paragraph.", ("A second paragraph.", "exact")),
        ("We study news.", ("We study news.", "exact")),
        ("Method", ("Method", "exact")),
        ("The corpus had nine thousand sentences of news", (SECTIONS["Method ::: Data"][0], "fuzzy")),
        ("Method  ::: Data", (SECTIONS["Method ::: Data"][0], "section")),
        ("Results", ("Method\n\nIt works well.", "section")),
        ("Abstract", ("We study news.", "section")),
        ("Empty", ("Method\n\nIt works well.", "next section")),
        ("Void", None),
        ("news", None),
        ("Quite another sentence.", None),
        ("", None),
    ],
)
def test_evidence_is_located_exactly_or_fuzzily_or_by_section(evidence, expected):
    assert found(evidence) == expected


def test_the_threshold_is_that_of_a_fuzzy_match():
    near = "The corpus had nine thousand sentences of news"
    assert found(near, threshold=99.0) is None
    assert found("Empt", threshold=10.0)[1] == "fuzzy"


def test_a_section_is_its_own_paragraphs_without_those_below():
    assert found("Results")[0].startswith("Method\n\n")
    sections = {"Above": ["own"], "Above ::: Below": ["deeper"]}
    flat = to_flat(paper(sections=sections), "p")
    span = Finder(flat, 90.0).find("Above").span
    assert flat.document.text[span.start : span.end] == "own"


def test_of_two_equal_paragraphs_the_first_one_is_taken():
    flat = to_flat(paper(sections={"A": ["same", "other"], "B": ["same"]}), "p")
    assert Finder(flat, 90.0).find("same").span.start == flat.document.text.index("same")


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    assert found("A second paragraph.")[1] == "exact"
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'ragtrial[fuzzy]'")):
        found("Results")


def test_the_evidence_rule():
    asked = question(
        (False, "kept", "", " ", "FLOAT SELECTED: Table 1", "Method ::: Data"), (True, "ignored"), (False,)
    )
    assert kept_evidence(asked) == (("kept", "Method ::: Data"), (), ())


def test_a_paper_becomes_a_document_and_its_questions():
    first = question(
        (False, "A second paragraph.", "Method ::: Data"), (True, "Void"), (False, "A second paragraph."), name="q1"
    )
    second = question((True, "x"), (True,), name="q2")
    third = question((False, "FLOAT SELECTED: x"), (True, "y"), name="q3")
    fourth = question((False, "nowhere", "Void"), name="q4")
    fifth = question((False, "It works well.", "nowhere"), name="q5")
    dataset = build_kmr({"p": paper(first, second, third, fourth, fifth), "o": paper()}, ["p", "o"], name="the files")
    assert [document.id for document in dataset.documents] == ["p", "o"]
    assert (dataset.pool, dataset.words) == ("corpus", "unicode")
    asked, partly = dataset.questions
    assert (asked.id, asked.text, asked.document, asked.cluster) == ("q1", "What?", "p", "p")
    assert asked.evidence_texts == ("A second paragraph.", SECTIONS["Method ::: Data"][0])
    assert asked.annotators == ((0, 1), (), (0,))
    text = dataset.documents[0].text
    assert all(item.text == text[span.start : span.end] for item in asked.evidence for span in item.spans)
    assert (partly.id, partly.evidence_texts, partly.annotators) == ("q5", ("It works well.",), ((0,),))
    assert [(item.id, item.where) for item in dataset.excluded] == [
        ("q2", "the files: paper p"),
        ("q3", "the files: paper p"),
        ("q4", "the files: paper p"),
    ]
    reasons = [item.reason for item in dataset.excluded]
    assert reasons[0] == "every annotator marked it unanswerable"
    assert reasons[1] == "no annotator marked a paragraph or a section as evidence"
    assert reasons[2] == "no evidence of it is in the text of the paper: Void; nowhere"
    assert dataset.funnel == {
        "papers": 2,
        "sections": 8,
        "section names without a paragraph": 4,
        "questions in the files": 5,
        "questions without evidence": 2,
        "questions whose evidence is not in the text": 1,
        "questions": 2,
        "papers with questions": 1,
        "evidence": 3,
        "evidence located exactly": 2,
        "evidence located fuzzily": 0,
        "evidence located by section": 1,
        "evidence located by the next section": 0,
        "evidence not located": 3,
        "annotators' evidence entries": 5,
        "annotators' evidence entries located exactly": 3,
    }


def test_two_strings_for_one_place_are_two_pieces_of_evidence():
    asked = question((False, SECTIONS["Method ::: Data"][0], "Method ::: Data"))
    (made,) = build_kmr({"p": paper(asked)}, ["p"], name="f").questions
    assert len(made.evidence) == 2
    assert made.evidence[0].spans == made.evidence[1].spans


def test_question_types():
    def typed(*answers):
        records = [{"answer": {"unanswerable": False, "evidence": []} | answer} for answer in answers]
        return question_type({"question": "", "question_id": "", "answers": records})

    no = {"yes_no": False, "extractive_spans": [], "free_form_answer": ""}
    spans = {"yes_no": None, "extractive_spans": ["x"], "free_form_answer": ""}
    free = {"yes_no": None, "extractive_spans": [], "free_form_answer": "x"}
    assert (typed(no), typed(spans), typed(free)) == ("boolean", "extractive", "abstractive")
    assert typed(free, spans, spans) == "extractive"
    assert typed(free, spans) == "abstractive"
    assert typed(free | {"unanswerable": True}, no) == "boolean"
    assert typed({}) is None


@pytest.fixture(scope="session")
def everything(shared):
    return load_qasper(shared("data/qasper"), protocol="kmr")


@pytest.fixture(scope="session")
def published(shared):
    return json.loads(shared("oracles/published.json").read_text(encoding="utf-8"))["KMR"]["qasper"]


def test_the_published_counts(everything, published):
    funnel, questions = everything.funnel, everything.questions
    assert funnel["papers"] == len(everything.documents) == published["papers"]
    assert funnel["questions in the files"] == published["questions_before"]
    assert funnel["questions"] == len(questions) == published["questions"]
    assert funnel["papers with questions"] == published["papers_with_questions"]
    assert len(everything.excluded) == published["questions_before"] - published["questions"]
    spans = [sum(len(evidence.spans) for evidence in question.evidence) for question in questions]
    assert sum(spans) == funnel["evidence"] == 9020
    assert round(sum(spans) / len(spans), 2) == published["spans_per_question"]
    # The paper prints both 43% and 43.9%.
    assert round(sum(count > 1 for count in spans) / len(spans), 3) == published["share_several_spans"]


def test_the_published_share_of_exact_evidence_is_of_annotators_entries(everything, published):
    funnel = everything.funnel
    entries = "annotators' evidence entries"
    assert (funnel[entries], funnel[f"{entries} located exactly"]) == (11663, 11165)
    assert round(funnel[f"{entries} located exactly"] / funnel[entries], 3) == published["evidence_exact"]
    ways = ("located exactly", "located fuzzily", "located by section", "located by the next section", "not located")
    assert [funnel[f"evidence {way}"] for way in ways] == [8605, 0, 413, 2, 0]


def test_the_published_trees_have_the_abstract_as_a_section(everything, published):
    documents = everything.documents
    shallow = sum(max(len(section.path) for section in document.sections) <= 1 for document in documents)
    assert round(shallow / len(documents), 2) == published["share_depth_1"]
    sections = [section for document in documents for section in document.sections]
    assert len(sections) == everything.funnel["sections"]
    assert round(len(sections) / len(documents), 1) == published["gold_sections_per_doc"]
    abstracts = sum(section.path == ("Abstract",) and section.first == 0 for section in sections)
    assert abstracts == len(documents)


def test_every_paper_is_verified_and_every_span_is_its_evidence(everything):
    texts = {document.id: document.text for document in everything.documents}
    assert all(document.verify() == [] for document in everything.documents)
    assert len(texts) == len(everything.documents)
    for question in everything.questions:
        assert question.evidence
        for evidence in question.evidence:
            ((start, end),) = evidence.spans
            assert evidence.document == question.document == question.cluster
            assert evidence.text == texts[question.document][start:end] == evidence.text.strip() != ""
        order = [evidence.spans[0] for evidence in question.evidence]
        assert order == sorted(order)
        marked = {index for group in question.annotators for index in group}
        assert marked == set(range(len(question.evidence)))
    assert len({question.id for question in everything.questions}) == len(everything.questions)
    assert {question.type for question in everything.questions} == {"abstractive", "boolean", "extractive"}


def test_the_two_questions_on_a_section_that_has_no_text(everything):
    lost = [q for q in everything.questions if q.document == "1906.10225" and len(q.evidence) == 1]
    texts = [q.evidence[0].text for q in lost if q.text.endswith("datasets were used?")]
    assert len(texts) == 2
    assert all(text.startswith("Table TABREF23 shows") for text in texts)


def test_sections_and_placebos_of_all_papers(everything):
    documents = everything.documents[:100]
    chunks = Sections().chunk_documents(documents)
    joined = dict.fromkeys((document.id for document in documents), "")
    for chunk in chunks:
        joined[chunk.document] += chunk.text
    assert joined == {document.id: document.text for document in documents}
    shown = Breadcrumb(1).apply(chunks).prefixes
    assert shown[0] == f"[{documents[0].meta['title']} › Abstract]\n\n"
    report = Placebo(3).report(chunks)
    assert (report.chunks, report.residual) == (len(chunks), 0)


def test_a_selection_gives_its_papers_in_its_order(everything, shared):
    selection = shared("data/selections/qasper-pilot-30.txt")
    dataset = load_qasper(shared("data/qasper"), protocol="kmr", select=selection)
    ids = read_selection(selection)
    assert [document.id for document in dataset.documents] == ids
    assert {q.id for q in dataset.questions} == {q.id for q in everything.questions if q.document in set(ids)}
    assert dataset.meta["files"] == "qasper-dev-v0.3.json.gz"
    assert everything.meta["name"] == "QASPER, protocol kmr"
    assert [document.id for document in everything.documents] == sorted(d.id for d in everything.documents)


def test_selected_papers_that_are_not_there_are_all_named(shared, tmp_path):
    selection = tmp_path / "s.txt"
    selection.write_text("9999.00001\nnothing\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"2 selected papers are not in .*dev.*: 9999\.00001, nothing\. .*'kmr'"):
        load_qasper(shared("data/qasper/qasper-dev-v0.3.json.gz"), protocol="kmr", select=selection)
