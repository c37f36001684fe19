"""BM25 over pools: as if every pool had an index of its own, whole or cut, in a stable order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.ranking import Ranking

TEXT = st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join)
POOLED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5, 9])), max_size=20)
ASKED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5, 9, 77])), max_size=6)
VARIANTS = ["okapi", "bm25+", "bm25l", "lucene", "atire"]


def ranked(retriever: BM25, pooled: list, asked: list, depth: int | None = None) -> Ranking:
    texts, pools = [text for text, _ in pooled], np.array([pool for _, pool in pooled], dtype=np.int64)
    queries, query_pools = [text for text, _ in asked], np.array([pool for _, pool in asked], dtype=np.int64)
    return retriever.rank(texts, pools, queries, query_pools, depth)


@pytest.mark.parametrize("variant", VARIANTS)
@given(pooled=POOLED, asked=ASKED)
def test_pools_together_equal_pools_apart(variant: str, pooled: list, asked: list):
    retriever = BM25(variant=variant)
    ranking = ranked(retriever, pooled, asked)
    assert ranking.n_questions == len(asked)
    for question, (query, pool) in enumerate(asked):
        members = [number for number, (_, own) in enumerate(pooled) if own == pool]
        apart = retriever.index([pooled[number][0] for number in members]).scores(query)
        order = sorted(range(len(members)), key=lambda place: -apart[place])
        chunks, scores = ranking.of(question)
        assert chunks.tolist() == [members[place] for place in order]
        assert scores.tolist() == [apart[place] for place in order]


@given(pooled=POOLED, asked=ASKED, depth=st.integers(1, 25))
def test_a_depth_gives_the_head_of_the_whole_ranking(pooled: list, asked: list, depth: int):
    assert ranked(BM25(), pooled, asked, depth) == ranked(BM25(), pooled, asked).top(depth)


def test_a_depth_in_a_large_pool_gives_the_head_of_the_whole_ranking():
    rng = np.random.default_rng(11)
    pooled = [(" ".join(f"w{rank}" for rank in rng.zipf(1.3, 20).clip(max=50)), 4) for _ in range(3_000)]
    asked = [("w1 w2 w50", 4), ("w49", 4), ("nothing", 4)]
    assert ranked(BM25(), pooled, asked, 7) == ranked(BM25(), pooled, asked).top(7)


def test_statistics_are_those_of_the_pool():
    # "rare" is rare over everything, but in pool 1 it is as common as "word": only pool statistics tie the two.
    texts, pools = ["rare word", "rare word", "word", "word"], [1, 1, 0, 0]
    index = BM25(variant="lucene").index(texts, pools)
    assert index.scores("rare", pool=1).tolist() == index.scores("word", pool=1).tolist()
    assert index.scores("rare", pool=0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("variant", VARIANTS)
@given(pooled=POOLED, asked=ASKED)
def test_statistics_of_the_corpus_rank_a_pool_as_a_filter_on_one_index(variant: str, pooled: list, asked: list):
    pooled = sorted(pooled, key=lambda pair: pair[1])  # sums of floats follow the order of the pools
    ranking = ranked(BM25(variant=variant, statistics="corpus"), pooled, asked)
    together = BM25(variant=variant).index([text for text, _ in pooled])
    for question, (query, pool) in enumerate(asked):
        of_all = together.scores(query)
        members = [number for number, (_, own) in enumerate(pooled) if own == pool]
        if variant != "bm25+":
            of_pool = [of_all[number] for number in members]
        else:  # where no chunk of the pool has a word, its lower bound is added to all of it all the same
            of_pool = pytest.approx([of_all[number] for number in members], abs=1e-9)
        chunks, scores = ranking.of(question)
        assert dict(zip(chunks.tolist(), scores.tolist(), strict=True)).keys() == set(members)
        assert [scores.tolist()[chunks.tolist().index(number)] for number in members] == of_pool
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_statistics_of_the_corpus_tell_a_rare_word_that_every_chunk_of_the_pool_has():
    texts, pools = ["rare word", "rare", "word", "word"], [1, 1, 0, 0]
    index = BM25(variant="lucene", statistics="corpus").index(texts, pools)
    (rare, _), (word, _) = index.scores("rare", pool=1).tolist(), index.scores("word", pool=1).tolist()
    assert rare > word > 0
    assert index.top("rare", pool=0)[1].tolist() == [0.0, 0.0]


@given(pooled=POOLED, asked=ASKED)
def test_one_pool_is_the_corpus(pooled: list, asked: list):
    alone = [(text, 3) for text, _ in pooled]
    assert ranked(BM25(statistics="corpus"), alone, asked) == ranked(BM25(), alone, asked)


def test_top_gives_the_numbers_of_the_texts():
    index = BM25().index(["x", "a", "y", "a a", "z", "z", "z"], [3, 8, 3, 8, 8, 8, 8])
    numbers, scores = index.top("a", 2, pool=8)
    assert numbers.tolist() == [3, 1]
    assert scores[0] > scores[1]
    assert [len(part) for part in index.top("a", pool=4)] == [0, 0]
    assert index.scores("a", pool=4).tolist() == []


def test_scores_stand_in_chunk_order_and_are_the_callers_own():
    index = BM25(variant="lucene").index(["a", "b", "a"], [0, 1, 0])
    scores = index.scores("a")
    scores[:] = 9.0
    assert index.scores("a").tolist() == pytest.approx([np.log(1.2) / 2.5] * 2)


def test_texts_and_pools_of_different_numbers_are_refused():
    with pytest.raises(UsageError, match=r"2 texts, but the pools have the shape \(3,\)"):
        BM25().index(["a", "b"], [0, 0, 0])
    with pytest.raises(UsageError, match="1 queries but 2 pools"):
        BM25().index(["a"]).rank(["a"], [0, 0])


def test_an_index_of_words_equals_an_index_of_texts():
    texts, pools = ["a b", "b c c", "", "a"], [1, 0, 1, 0]
    by_text = BM25().index(texts, pools).rank(["c a", "b"], [0, 1])
    by_words = BM25().index_words([text.split() for text in texts], pools).rank(["c a", "b"], [0, 1])
    assert by_words == by_text
