"""BM25 scores: rank_bm25 to the last bit, the other formulas against a loop, the edges where oracles divide by 0."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from ragtrial.retrievers.bm25 import BM25

ORACLES = {"okapi": BM25Okapi, "bm25+": BM25Plus, "bm25l": BM25L}
VARIANTS = [*ORACLES, "lucene", "atire"]
WORD = st.sampled_from("abcdefgh")
CORPUS = st.lists(st.lists(WORD, max_size=12), min_size=1, max_size=14)
QUERY = st.lists(st.sampled_from("abcdefghxyz"), max_size=9)
# rank_bm25 divides 0 by 0 at k1 = 0 or b = 1 with an empty chunk; that corner has its own test.
K1, B = st.floats(0.01, 5), st.floats(0, 0.99)


def zipf_corpus(n_chunks: int) -> list[list[str]]:
    rng = np.random.default_rng(3)
    ranks = np.minimum(rng.zipf(1.2, size=(n_chunks, 120)), 30_000)
    return [[f"w{rank}" for rank in row[: rng.integers(0, 121)].tolist()] for row in ranks]


@pytest.mark.parametrize("variant", ORACLES)
@given(chunks=CORPUS, query=QUERY, k1=K1, b=B, extra=st.floats(0, 3))
def test_scores_equal_rank_bm25_bit_for_bit(
    variant: str, chunks: list[list[str]], query: list[str], k1: float, b: float, extra: float
):
    assume(any(chunks))
    name = "epsilon" if variant == "okapi" else "delta"
    ours = BM25(variant=variant, words="study", k1=k1, b=b, **{name: extra})
    theirs = ORACLES[variant](chunks, k1=k1, b=b, **{name: extra})
    texts = [" ".join(chunk) for chunk in chunks]
    assert np.array_equal(ours.index(texts).scores(" ".join(query)), theirs.get_scores(query))


@pytest.mark.parametrize("variant", ORACLES)
def test_scores_equal_rank_bm25_on_a_corpus_of_thousands(variant: str):
    chunks = zipf_corpus(6_000)
    ours, theirs = BM25(variant=variant, words="study").index_words(chunks), ORACLES[variant](chunks)
    for chunk in chunks[:5]:
        query = [*chunk[:8], "w1", "w1", "unknown"]
        scores = ours.scores(" ".join(query))
        assert np.array_equal(scores, theirs.get_scores(query))
        numbers, best = ours.top(" ".join(query), 50)
        assert numbers.tolist() == np.argsort(-scores, kind="stable")[:50].tolist()
        assert np.array_equal(best, scores[numbers])


def test_a_negative_mean_idf_is_kept_as_rank_bm25_keeps_it():
    # Every word is in more than half of the chunks: the floor itself is negative.
    chunks = [["a", "b"], ["a", "b"], ["a"]]
    theirs = BM25Okapi(chunks)
    assert theirs.average_idf < 0
    ours = BM25(words="study").index_words(chunks)
    assert np.array_equal(ours.scores("a b a"), theirs.get_scores(["a", "b", "a"]))
    assert (ours.scores("a") < 0).all()


def looped_score(variant: str, chunks: list[list[str]], query: list[str], number: int) -> float:
    counts = Counter(chunks[number])
    mean_length = sum(map(len, chunks)) / len(chunks)
    norm = 1.5 * (1 - 0.75 + 0.75 * len(chunks[number]) / mean_length)
    score = 0.0
    for word in query:
        n_with = sum(word in chunk for chunk in chunks)
        if counts[word]:
            if variant == "lucene":
                idf = math.log(1 + (len(chunks) - n_with + 0.5) / (n_with + 0.5))
                score += idf * counts[word] / (counts[word] + norm)
            else:
                score += math.log(len(chunks) / n_with) * counts[word] * 2.5 / (counts[word] + norm)
    return score


@pytest.mark.parametrize("variant", ["lucene", "atire"])
@given(chunks=CORPUS, query=QUERY)
def test_lucene_and_atire_follow_their_formulas(variant: str, chunks: list[list[str]], query: list[str]):
    assume(any(chunks))
    scores = BM25(variant=variant, words="study").index_words(chunks).scores(" ".join(query))
    expected = [looped_score(variant, chunks, query, number) for number in range(len(chunks))]
    assert scores == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_lucene_by_hand():
    # N = 2, "cat" in one chunk, both chunks of mean length: ln(1 + 1.5 / 1.5) x 1 / (1 + 1.5).
    scores = BM25(variant="lucene").index(["cat sat", "dog sat"]).scores("cat")
    assert scores.tolist() == pytest.approx([math.log(2) / 2.5, 0])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("texts", [[], [""], ["", "…", ""]])
def test_no_words_at_all_score_zero(variant: str, texts: list[str]):
    index = BM25(variant=variant).index(texts)
    assert index.scores("a b").tolist() == [0.0] * len(texts)
    numbers, scores = index.top("a b")
    assert (numbers.tolist(), scores.tolist()) == (list(range(len(texts))), [0.0] * len(texts))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_question_without_known_words_keeps_chunk_order(variant: str):
    index = BM25(variant=variant).index(["a b", "", "c"])
    for query in ("", "?!", "unknown"):
        numbers, scores = index.top(query)
        assert (numbers.tolist(), scores.tolist()) == ([0, 1, 2], [0.0, 0.0, 0.0])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("parameters", [{"k1": 0.0}, {"b": 1.0}, {"k1": 0.0, "b": 1.0}])
def test_extreme_parameters_give_numbers_also_for_empty_chunks(variant: str, parameters: dict[str, float]):
    scores = BM25(variant=variant, **parameters).index(["a b", "", "c a a", "d", "e"]).scores("a d")
    assert np.isfinite(scores).all()
    assert scores[0] > scores[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_repeated_query_word_counts_each_time(variant: str):
    index = BM25(variant=variant).index(["a b", "b c", "d", "e"])
    assert index.scores("c c").tolist() == (2 * index.scores("c")).tolist()


def test_one_chunk():
    numbers, scores = BM25(words="study").index(["only words here"]).top("words")
    assert numbers.tolist() == [0]
    assert np.array_equal(scores, BM25Okapi([["only", "words", "here"]]).get_scores(["words"]))
