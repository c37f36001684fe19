"""TREC files: what outside tools read in them is what was written, and their numbers are ours."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.chunkers.windows import Chars
from ragtrial.datasets.qasper.kmr import load_kmr
from ragtrial.datasets.qasper.load import read_selection
from ragtrial.errors import DataError
from ragtrial.measures.names import parse_measure
from ragtrial.measures.span_question import score_spans
from ragtrial.measures.span_relevance import relevant_chunks
from ragtrial.measures.spans import GoldSpans, SpanTable
from ragtrial.report.trec import (
    NO_CHUNK,
    TINY,
    Judged,
    Ranked,
    escape_id,
    falling_scores,
    unescape_id,
    write_qrels,
    write_run,
)
from ragtrial.retrievers.bm25 import BM25

MEASURES = [parse_measure(name) for name in ("mrr", "ndcg@10", "span-mrr@10")]
CUTOFFS = (1, 5, 10, 50)


def lines(path):
    return [line.split(" ") for line in path.read_text(encoding="ascii").splitlines()]


# ---- ids ----


@given(st.text(min_size=1))
def test_an_id_is_written_in_plain_ascii_and_read_back(name):
    written = escape_id(name)
    assert unescape_id(written) == name
    assert written.isascii()
    assert written.isprintable()
    assert not set(written) & {" ", "#"}
    assert written != NO_CHUNK


def test_ids_of_everyday_stay_readable():
    assert escape_id("docs/guide.md:12_a-b~(c)") == "docs/guide.md:12_a-b~(c)"
    assert escape_id("a b#3%\u00a0é") == "a%20b%233%25%C2%A0%C3%A9"
    with pytest.raises(DataError, match="empty id"):
        escape_id("")


# ---- scores ----

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**100), max_value=2.0**100)


@given(st.lists(FLOATS | st.sampled_from([0.0, -0.0, 1.0, 1e-45, -1e-40, TINY]), max_size=30))
def test_scores_fall_strictly_also_when_read_as_32_bits(scores):
    written = [str(score) for score in falling_scores(scores)]
    read = np.array([float(text) for text in written], dtype=np.float32)
    assert (np.diff(read) < 0).all()
    assert not ((read != 0) & (np.abs(read) < np.float32(TINY))).any()
    assert len(read) == len(scores)


@given(st.lists(FLOATS.filter(lambda score: abs(score) >= TINY), unique=True, max_size=20))
def test_scores_that_fall_are_left_alone(scores):
    ranked = sorted(scores, reverse=True)
    assert falling_scores(ranked).tolist() == ranked


def test_a_score_that_does_not_fall_becomes_the_next_lower_float():
    one = np.float32(1)
    below = np.nextafter(one, np.float32(0))
    assert falling_scores([1.0, 1.0, 1.0 + 1e-12, 0.5, 0.9]).tolist() == [
        one,
        below,
        np.nextafter(below, np.float32(0)),
        0.5,
        np.nextafter(np.float32(0.5), np.float32(0)),
    ]
    assert falling_scores([0.0, 0.0, 0.0]).tolist()[:2] == [0.0, -TINY]
    assert falling_scores([]).tolist() == []


@pytest.mark.parametrize("scores", [[float("nan")], [float("inf")], [1.0, float("-inf")], [1e39], [-3.4028235e38] * 2])
def test_a_score_that_is_no_finite_float_is_refused(scores):
    with pytest.raises(DataError, match="finite scores"):
        falling_scores(scores)


# ---- files ----


def test_a_run_and_judgements_as_they_are_written(tmp_path):
    rows = [Ranked("q 1", ["a#0", "b"], [2.5, 2.0]), Ranked("q2", [], [])]
    write_run(tmp_path / "run", rows, tag="headers x bm25")
    assert (tmp_path / "run").read_text() == (
        "q%201 Q0 a%230 1 2.5 headers%20x%20bm25\n"
        "q%201 Q0 b 2 2.0 headers%20x%20bm25\n"
        "q2 Q0 %none 1 0.0 headers%20x%20bm25\n"
    )
    write_qrels(tmp_path / "qrels", [Judged("q 1", ["b", "c"]), Judged("q2", [])])
    assert (tmp_path / "qrels").read_text() == "q%201 0 b 1\nq%201 0 c 1\nq2 0 %none 0\n"


@pytest.mark.parametrize(
    ("row", "part"),
    [
        (Ranked("q", ["a", "a"], [2.0, 1.0]), "the chunk a twice"),
        (Ranked("q", ["a"], [2.0, 1.0]), "1 ranked chunks but 2 scores"),
        (Ranked("q", [], [1.0]), "0 ranked chunks but 1 scores"),
        (Ranked("q", [""], [1.0]), "empty id"),
        (Ranked("", ["a"], [1.0]), "empty id"),
        (Ranked("before", ["a"], [1.0]), "question before is there twice"),
    ],
)
def test_what_no_run_can_hold_is_refused_and_nothing_is_written(tmp_path, row, part):
    with pytest.raises(DataError, match=part):
        write_run(tmp_path / "run", [Ranked("before", ["a"], [1.0]), row])
    assert not list(tmp_path.iterdir())


def test_judgements_that_repeat_themselves_are_refused(tmp_path):
    with pytest.raises(DataError, match="the chunk a twice"):
        write_qrels(tmp_path / "qrels", [Judged("q", ["a", "a"])])
    with pytest.raises(DataError, match="question q is there twice"):
        write_qrels(tmp_path / "qrels", [Judged("q", ["a"]), Judged("q", ["b"])])
    assert not list(tmp_path.iterdir())


# ---- outside tools ----


def check_against_outside_tools(folder, table, names, questions):
    """Assert that the tools read our numbers from the files of ``(id, gold, ranking, scores)``."""
    judged = {name: relevant_chunks(table.candidates(gold), gold) for name, gold, *_ in questions}
    write_qrels(folder / "qrels", [Judged(name, [names[n] for n in judged[name]]) for name, *_ in questions])
    write_run(
        folder / "run",
        [Ranked(name, [names[n] for n in ranking], scores) for name, _, ranking, scores in questions],
    )
    ours = {name: score_spans(MEASURES, ranking, table, gold) for name, gold, ranking, _ in questions}
    recalls = {
        name: [len(set(ranking[:k].tolist()) & set(judged[name])) / max(1, len(judged[name])) for k in CUTOFFS]
        for name, _, ranking, _ in questions
    }
    check_pytrec_eval(folder, ours, recalls)
    check_ir_measures(folder, ours, recalls)
    return ours


def check_pytrec_eval(folder, ours, recalls):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with (folder / "run").open() as run, (folder / "qrels").open() as qrels:
        asked = {"recip_rank", "ndcg_cut.10", "recall." + ",".join(map(str, CUTOFFS))}
        judge = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), asked)
        theirs = judge.evaluate(pytrec_eval.parse_run(run))
    assert len(theirs) == len(ours)
    for written, row in theirs.items():
        name = unescape_id(written)
        assert (row["recip_rank"], row["ndcg_cut_10"]) == pytest.approx(ours[name][:2], abs=1e-9)
        assert [row[f"recall_{k}"] for k in CUTOFFS] == pytest.approx(recalls[name], abs=1e-9)


def check_ir_measures(folder, ours, recalls):
    ir_measures = pytest.importorskip("ir_measures")
    rr, cut, ndcg = ir_measures.RR, ir_measures.RR @ 10, ir_measures.nDCG @ 10
    recall = [ir_measures.R @ k for k in CUTOFFS]
    run = list(ir_measures.read_trec_run(str(folder / "run")))
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels")))
    theirs = {
        (unescape_id(metric.query_id), metric.measure): metric.value
        for metric in ir_measures.iter_calc([rr, cut, ndcg, *recall], qrels, run)
    }
    for name, values in ours.items():
        assert [theirs[name, own] for own in (rr, ndcg, cut)] == pytest.approx(values, abs=1e-9)
        assert [theirs[name, own] for own in recall] == pytest.approx(recalls[name], abs=1e-9)
    means = ir_measures.calc_aggregate([rr, ndcg], qrels, run)
    assert [means[rr], means[ndcg]] == pytest.approx(np.mean(list(ours.values()), axis=0)[:2], abs=1e-9)


def random_table(rng):
    """Return chunks of 3 documents, which overlap and have names that no file of TREC could hold."""
    starts = np.array([rng.randrange(300) for _ in range(90)], dtype=np.int64)
    table = SpanTable(
        documents=np.arange(90, dtype=np.int64) % 3,
        offsets=np.arange(91),
        starts=starts,
        ends=starts + np.array([rng.randrange(5, 80) for _ in range(90)]),
        prefix_tokens=np.zeros(90, dtype=np.int64),
        suffix_tokens=np.zeros(90, dtype=np.int64),
        token_bounds=lambda number: [0],
    )
    return table, [f"dóc {number % 3}#{number // 3}" for number in range(90)]


@pytest.mark.parametrize("seed", range(5))
def test_outside_tools_agree_on_random_data(tmp_path, seed):
    rng = random.Random(seed)
    table, names = random_table(rng)
    questions = []
    for number in range(40):
        pieces = [[(start, start + rng.randrange(1, 90))] for start in rng.sample(range(400), rng.choice([1, 2, 3]))]
        gold = GoldSpans.of([number % 3] * len(pieces), pieces)
        ranking = np.array(rng.sample(range(90), rng.choice([0, 3, 60, 90])), dtype=np.int64)
        # Many equal scores, some of which even rise: the order of the ranking must come through.
        scores = [rng.choice([0.0, 0.1, 0.1 + 1e-12, 1.0, -2.0]) for _ in ranking]
        questions.append((f"q {number}", gold, ranking, scores))
    ours = check_against_outside_tools(tmp_path, table, names, questions)
    assert len(set(ours.values())) > 10


def test_outside_tools_agree_on_qasper(tmp_path, shared):
    dataset = load_kmr(shared("data/qasper"), read_selection(shared("data/selections/qasper-pilot-30.txt")), "study")
    chunks = Chars(512).chunk_documents(dataset.documents)
    table = SpanTable(
        documents=chunks.document,
        offsets=chunks.offsets,
        starts=chunks.starts,
        ends=chunks.ends,
        prefix_tokens=np.zeros(len(chunks), dtype=np.int64),
        suffix_tokens=np.zeros(len(chunks), dtype=np.int64),
        token_bounds=lambda number: [0],
    )
    number_of = {document.id: number for number, document in enumerate(dataset.documents)}
    pool = np.zeros(len(chunks), dtype=np.int64)
    index = BM25().index(chunks.texts, pool)
    ranking = index.rank(
        [question.text for question in dataset.questions], np.zeros(len(dataset.questions), dtype=np.int64)
    )
    questions = [
        (
            question.id,
            GoldSpans.of([number_of[e.document] for e in question.evidence], [e.spans for e in question.evidence]),
            *ranking.of(place),
        )
        for place, question in enumerate(dataset.questions)
    ]
    names = [f"{chunk.document}#{chunk.index}" for chunk in chunks]
    ours = check_against_outside_tools(tmp_path, table, names, questions)
    assert len(ours) == len(dataset.questions) > 70
    mean = np.mean(list(ours.values()), axis=0)
    assert 0.05 < mean[0] < 0.6
    assert lines(tmp_path / "run")[0][2] == escape_id(names[int(ranking.of(0)[0][0])])
