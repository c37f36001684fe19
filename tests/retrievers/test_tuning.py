"""The weight of a fusion against trying every weight by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import UsageError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.fusion import Weighted
from ragtrial.retrievers.ranking import Ranking
from ragtrial.retrievers.tuning import GRID, split_documents, tune_weight

FIRST, SECOND = BM25(), BM25("lucene", k1=0.2, b=0.0)
TEXT = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6).map(" ".join)


def reciprocal_rank(relevant: list[int]):
    def score(ranking: Ranking) -> list[float]:
        return [1 / (ranking.of(question)[0].tolist().index(chunk) + 1) for question, chunk in enumerate(relevant)]

    return score


@settings(max_examples=30)
@given(texts=st.lists(TEXT, min_size=2, max_size=8), queries=st.lists(TEXT, min_size=1, max_size=4), data=st.data())
def test_the_means_are_those_of_the_fusion_with_each_weight(texts: list, queries: list, data: st.DataObject):
    pools = [0] * len(queries)
    fusion = Weighted(FIRST, SECOND)
    rankings = [part.index(texts).rank(queries, pools) for part in fusion.parts]
    relevant = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=len(queries), max_size=len(queries)))
    score = reciprocal_rank(relevant)
    tuned = tune_weight(fusion, *rankings, score, grid=[0.0, 0.25, 0.5, 1.0])
    for weight, mean in zip(tuned.grid, tuned.means, strict=True):
        fused = Weighted(FIRST, SECOND, weight=weight).index(texts).rank(queries, pools)
        assert mean == pytest.approx(np.mean(score(fused)))
    assert tuned.means[tuned.grid.index(tuned.weight)] == max(tuned.means)


def ranked(*orders: list[int]) -> Ranking:
    lengths = [len(order) for order in orders]
    scores = [np.linspace(1, 0, len(order)) for order in orders]
    return Ranking(
        np.concatenate(([0], np.cumsum(lengths))), np.concatenate(orders).astype(int), np.concatenate(scores)
    )


def test_the_better_part_gets_the_weight():
    good, bad = ranked([1, 0, 2], [4, 5, 3]), ranked([2, 0, 1], [3, 5, 4])
    fusion = Weighted(FIRST, SECOND)
    assert tune_weight(fusion, good, bad, reciprocal_rank([1, 4])).means[0] == pytest.approx(1 / 3)
    assert tune_weight(fusion, good, bad, reciprocal_rank([1, 4]), grid=[0.0, 1.0]).weight == 1.0
    assert tune_weight(fusion, bad, good, reciprocal_rank([1, 4]), grid=[0.0, 1.0]).weight == 0.0


@pytest.mark.parametrize(("grid", "weight"), [(GRID, 0.5), ([0.9, 0.6, 0.4, 0.0], 0.4), ([1.0, 0.1], 0.1)])
def test_of_equally_good_weights_the_middle_one_is_chosen(grid: list[float], weight: float):
    same = ranked([1, 0])
    assert tune_weight(Weighted(FIRST, SECOND), same, same, reciprocal_rank([0]), grid).weight == weight


def test_questions_without_chunks_have_a_score_too():
    part = ranked([1, 0], [])
    tuned = tune_weight(Weighted(FIRST, SECOND), part, part, lambda ranking: [1.0, 0.0], [0.3])
    assert tuned.means == (0.5,)


def test_what_cannot_be_tuned_is_refused():
    fusion, part = Weighted(FIRST, SECOND), ranked([1, 0])
    with pytest.raises(UsageError, match="1 and 2 questions"):
        tune_weight(fusion, part, ranked([1, 0], [0]), reciprocal_rank([0]))
    with pytest.raises(UsageError, match="question 0 are not of the same chunks"):
        tune_weight(fusion, part, ranked([1, 2]), reciprocal_rank([0]))
    with pytest.raises(UsageError, match="no weights"):
        tune_weight(fusion, part, part, reciprocal_rank([0]), [])
    with pytest.raises(UsageError, match="one finite score"):
        tune_weight(fusion, part, part, lambda ranking: [float("nan")])


@given(documents=st.sets(st.text(max_size=4), min_size=4, max_size=30), seed=st.integers(0, 9))
def test_no_document_is_both_tuned_on_and_scored(documents: set[str], seed: int):
    held_out, scored = split_documents(list(documents), 0.25, seed)
    assert sorted(held_out + scored) == sorted(documents)
    assert len(held_out) == round(len(documents) / 4)
    assert split_documents(sorted(documents) * 2, 0.25, seed) == (held_out, scored)


def test_a_split_with_an_empty_part_is_refused():
    with pytest.raises(UsageError, match="leaves none to tune on, or none to score"):
        split_documents(["a", "b"], 0.1)
