"""Fusions against plain loops, their laws, and what cannot be fused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.base import Retriever
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.fusion import RRF, Weighted
from ragtrial.retrievers.fusion import base as module
from ragtrial.retrievers.ranking import Ranking, offsets_of
from ragtrial.specs import parse_call


@dataclass(frozen=True)
class Scripted(Retriever):
    """Gives the chunk ``i`` of a pool the score ``scores[i]``, whatever is asked."""

    spec_name: ClassVar[str] = "scripted"

    scores: tuple[float, ...]
    lost: int = 0

    def index(self, texts: Sequence[str], pools: npt.ArrayLike | None = None):
        numbers = np.zeros(len(texts)) if pools is None else np.asarray(pools)
        scores, lost = np.array([*self.scores, *([0.0] * len(texts))]), self.lost

        class Index:
            def rank(self, queries: Sequence[str], query_pools: npt.ArrayLike, depth: int | None = None) -> Ranking:
                rows = []
                for pool in np.asarray(query_pools):
                    members = np.flatnonzero(numbers == pool)
                    own = scores[: len(members)]
                    order = np.argsort(-own, kind="stable")[: len(members) - lost]
                    rows.append((members[order], own[order]))
                return Ranking(
                    offsets_of([len(chunks) for chunks, _ in rows]),
                    np.concatenate([np.empty(0, dtype=np.int64), *(chunks for chunks, _ in rows)]),
                    np.concatenate([np.empty(0), *(values for _, values in rows)]),
                )

        return Index()


SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0]), min_size=1, max_size=9)
TWO = st.integers(1, 9).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(-3, 3).map(float), min_size=size, max_size=size)] * 2)
)


def order_of(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda chunk: -scores[chunk])


def fused(fusion: Retriever, size: int, depth: int | None = None) -> tuple[list[int], list[float]]:
    chunks, scores = fusion.index(["x"] * size).rank(["q"], [0], depth).of(0)
    return chunks.tolist(), scores.tolist()


@given(TWO, st.sampled_from([0, 1, 60, 0.5]))
def test_rrf_is_the_sum_of_reciprocal_ranks_with_ties_in_the_order_of_the_first(two, k: float):
    first, second = two
    orders = order_of(first), order_of(second)
    scores = {chunk: sum(1 / (k + 1 + order.index(chunk)) for order in orders) for chunk in range(len(first))}
    chunks, values = fused(RRF(Scripted(tuple(first)), Scripted(tuple(second)), k=k), len(first))
    assert chunks == sorted(orders[0], key=lambda chunk: -scores[chunk])
    assert values == [scores[chunk] for chunk in chunks]


def test_rrf_worked_by_hand():
    # Ranks with the first: 0, 1, 2; with the second: 2, 0, 1.
    chunks, scores = fused(RRF(Scripted((3.0, 2.0, 1.0)), Scripted((2.0, 1.0, 3.0))), 3)
    assert chunks == [0, 2, 1]
    assert scores == [1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62 + 1 / 63]
    # Two chunks that change places have the same score: the first retriever decides.
    assert fused(RRF(Scripted((1.0, 2.0)), Scripted((2.0, 1.0))), 2)[0] == [1, 0]


@given(SCORES)
def test_rrf_of_a_retriever_with_itself_keeps_its_order(scores: list[float]):
    same = Scripted(tuple(scores))
    assert fused(RRF(same, same), len(scores))[0] == order_of(scores)


def scaled(scores: list[float], how: str, least: float | None) -> list[float]:
    if how == "z-score":
        low = sum(scores) / len(scores)
        width = (sum((score - low) ** 2 for score in scores) / len(scores)) ** 0.5
    else:
        low = min(scores) if how == "min-max" else least
        width = max(scores) - low
    return [(score - low) / width if width > 1e-12 else 0.0 for score in scores]


@dataclass(frozen=True)
class Bounded(Scripted):
    """A retriever that says how low its scores can be."""

    least_score: ClassVar[float | None] = -5.0


@given(TWO, st.floats(0, 1), st.sampled_from(["min-max", "z-score", "theoretical"]))
def test_weighted_is_the_mean_of_normalised_scores(two, weight: float, how: str):
    first, second = two
    fusion = Weighted(Bounded(tuple(first)), Bounded(tuple(second)), weight=weight, normalise=how)
    mine, others = scaled(first, how, -5.0), scaled(second, how, -5.0)
    expected = [weight * a + (1 - weight) * b for a, b in zip(mine, others, strict=True)]
    chunks, values = fused(fusion, len(first))
    assert sorted(chunks) == list(range(len(first)))
    assert values == pytest.approx([expected[chunk] for chunk in chunks], abs=1e-9)
    assert values == sorted(values, reverse=True)


@given(TWO, st.sampled_from(["min-max", "z-score", "theoretical"]))
def test_the_whole_weight_on_one_part_gives_its_order(two, how: str):
    first, second = two
    parts = Bounded(tuple(first)), Bounded(tuple(second))
    assert fused(Weighted(*parts, weight=1.0, normalise=how), len(first))[0] == order_of(first)
    by_second = sorted(order_of(first), key=lambda chunk: -second[chunk])
    assert fused(Weighted(*parts, weight=0.0, normalise=how), len(first))[0] == by_second


@given(TWO)
def test_the_scale_and_the_zero_of_a_part_do_not_matter(two):
    first, second = two
    moved = tuple(score * 4 + 16 for score in second)
    for how in ("min-max", "z-score"):
        plain = fused(Weighted(Scripted(tuple(first)), Scripted(tuple(second)), normalise=how), len(first))
        other = fused(Weighted(Scripted(tuple(first)), Scripted(moved), normalise=how), len(first))
        assert other[1] == pytest.approx(plain[1], abs=1e-9)


POOLED = st.lists(st.tuples(st.sampled_from(["a b", "b", "c a a", "d"]), st.sampled_from([0, 3, 4])), max_size=14)


@pytest.mark.parametrize(
    "fusion", [RRF(BM25(), BM25(words="study", k1=0.1)), Weighted(BM25(), BM25(k1=0.0), weight=0.3)]
)
@given(pooled=POOLED, asked=st.lists(st.sampled_from([0, 3, 4, 9]), max_size=5), depth=st.integers(1, 9))
def test_pools_and_depth(fusion, pooled: list, asked: list[int], depth: int):
    texts, pools = [text for text, _ in pooled], np.array([pool for _, pool in pooled], dtype=np.int64)
    queries = ["a", "b a", "c", "a", "d"][: len(asked)]
    index = fusion.index(texts, pools)
    whole = index.rank(queries, np.array(asked, dtype=np.int64))
    assert index.rank(queries, np.array(asked, dtype=np.int64), depth) == whole.top(depth)
    for question, pool in enumerate(asked):
        members = np.flatnonzero(pools == pool)
        chunks, scores = whole.of(question)
        apart = fusion.index([texts[member] for member in members]).rank([queries[question]], [0])
        assert chunks.tolist() == members[apart.chunks].tolist()
        assert scores.tolist() == apart.scores.tolist()


def test_questions_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch):
    fusion = RRF(BM25(), BM25(k1=0.1))
    texts, queries = ["a b", "b", "c a a", "d"] * 3, ["a", "b", "c", "d", "a b"]
    whole = fusion.index(texts).rank(queries, [0] * 5)
    monkeypatch.setattr(module, "_ROWS", 25)
    assert fusion.index(texts).rank(queries, [0] * 5) == whole


def test_parts_that_rank_other_chunks_are_refused():
    with pytest.raises(UsageError, match="its parts rank 3 and 2 chunks of one pool"):
        fused(RRF(Scripted((1.0, 2.0, 3.0)), Scripted((1.0, 2.0, 3.0), lost=1)), 3)
    with pytest.raises(UsageError, match="1 queries but 2 pools"):
        RRF(BM25(), BM25()).index(["a"]).rank(["a"], [0, 0])


@pytest.mark.parametrize(
    "spec",
    [
        "rrf(bm25, dense)",
        "rrf(bm25(variant='lucene'), dense('models/x', pooling='cls'), k=10)",
        "weighted(bm25, dense, weight=0.25, normalise='theoretical')",
        "weighted(rrf(bm25, dense), bm25, normalise='z-score')",
    ],
)
def test_specs_read_back(spec: str):
    built = RETRIEVERS.build(parse_call(spec))
    assert str(built) == spec
    assert RETRIEVERS.build(parse_call(str(built))) == built
    assert built.parts == (built.first, built.second)


def test_defaults_are_not_printed():
    assert str(RETRIEVERS.build(parse_call("rrf(bm25, dense('minilm'), k=60)"))) == "rrf(bm25, dense)"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rrf(bm25)", "rrf needs second"),
        ("rrf(bm25, 'dense')", "second: Input should be an instance of Retriever"),
        ("rrf(bm25, bm25, k=-1)", "k: Input should be greater than or equal to 0"),
        ("weighted(bm25, bm25, weight=1.5)", "weight: Input should be less than or equal to 1"),
        (
            "weighted(weighted(bm25, bm25), bm25, normalise='theoretical')",
            "weighted has no lowest possible score. Use normalise='min-max' or 'z-score'",
        ),
    ],
)
def test_what_cannot_be_built_is_named(spec: str, message: str):
    with pytest.raises(SpecError, match=message):
        RETRIEVERS.build(parse_call(spec))
