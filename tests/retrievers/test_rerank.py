"""Reranking against plain loops: the head in the model's order, the rest as it was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers import rerank as module
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.dense import Dense
from ragtrial.retrievers.fusion import RRF
from ragtrial.retrievers.rerank import Rerank, RerankedIndex
from ragtrial.retrievers.rerankers.model import Reranker
from ragtrial.retrievers.routed import Routed
from ragtrial.retrievers.sources import Sources

from .rerankers.made_up import MadeUpScorer

TEXT = st.lists(st.sampled_from("abcdef"), max_size=5).map(" ".join)
POOLED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5])), max_size=20)
ASKED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5, 77])), max_size=5)


def indexed(pooled: list, depth: int) -> RerankedIndex:
    texts, pools = [text for text, _ in pooled], np.array([pool for _, pool in pooled], dtype=np.int64)
    return RerankedIndex(Reranker("Letters", MadeUpScorer()), depth, texts, BM25().index(texts, pools))


@settings(max_examples=60)
@given(pooled=POOLED, asked=ASKED, depth=st.integers(1, 8))
def test_the_head_is_sorted_by_the_model_and_the_rest_stays(pooled: list, asked: list, depth: int):
    index = indexed(pooled, depth)
    queries, pools = [query for query, _ in asked], [pool for _, pool in asked]
    base, ranking = index.base.rank(queries, pools), index.rank(queries, pools)
    for question, query in enumerate(queries):
        before = base.of(question)[0].tolist()
        chunks, scores = ranking.of(question)
        head = sorted(before[:depth], key=lambda chunk: -MadeUpScorer.of(query, pooled[chunk][0]))  # stable
        assert chunks.tolist() == head + before[depth:]
        assert scores[: len(head)].tolist() == [MadeUpScorer.of(query, pooled[chunk][0]) for chunk in head]
        assert (np.diff(scores) <= 0).all()


@settings(max_examples=40)
@given(pooled=POOLED, asked=ASKED, depth=st.integers(1, 8), cut=st.integers(1, 25))
def test_a_depth_gives_the_head_of_the_whole_ranking(pooled: list, asked: list, depth: int, cut: int):
    index = indexed(pooled, depth)
    queries, pools = [query for query, _ in asked], [pool for _, pool in asked]
    assert index.rank(queries, pools, cut) == index.rank(queries, pools).top(cut)


def test_the_model_reads_the_indexed_text_and_no_more_than_the_head(monkeypatch: pytest.MonkeyPatch):
    scorer = MadeUpScorer()
    monkeypatch.setattr(module, "load", lambda options: Reranker("Letters", scorer))
    texts = ["[Path] c b", "x", "y", "c c b", "z", "c", "v"]
    Rerank(BM25(), "letters", depth=2).index(texts).rank(["c b"], [0], 1)
    assert sorted(scorer.seen()) == [("c b", "[Path] c b"), ("c b", "c c b")]


def test_sources_reach_the_base(monkeypatch: pytest.MonkeyPatch):
    given: list[object] = []

    def index(self: Routed, texts: object, pools: object = None, sources: object = None) -> object:
        given.append(sources)
        return BM25().index(texts)

    monkeypatch.setattr(Routed, "index", index)
    monkeypatch.setattr(module, "load", lambda options: Reranker("Letters", MadeUpScorer()))
    empty = np.empty(0, dtype=np.int64)
    sources = Sources((), empty, empty, np.zeros(1, dtype=np.int64), empty, empty)
    Rerank(Routed(), "letters").index([], None, sources)
    assert given == [sources]


def test_parameters_say_what_the_model_is(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "load", lambda options: Reranker("Letters", MadeUpScorer()))
    parameters = Rerank(BM25(), "letters", depth=50).parameters()
    assert parameters["depth"] == 50
    assert parameters["base"]["component"] == "bm25"
    assert parameters["reranker"] == {"role": "reranker", "backend": "made-up", "name": "letters"}


def test_it_prints_itself_back():
    retriever = Rerank(RRF(BM25(), Dense()), "m", depth=50, backend="tei", url="http://x")
    assert str(retriever) == "rerank(rrf(bm25, dense), 'm', depth=50, backend='tei', url='http://x')"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(SpecError, match="depth"):
        Rerank(BM25(), "m", depth=0)
    with pytest.raises(SpecError, match="'onnx' takes no url"):
        Rerank(BM25(), "m", backend="onnx", url="http://x")
    with pytest.raises(UsageError, match="at least 1 chunk, not 0"):
        indexed([("a", 0)], 3).rank(["a"], [0], 0)
