"""Exact search must be what a stable sort of all dot products gives, tile by tile, block by block, ties and all."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.retrievers.dense import search as module
from ragtrial.retrievers.dense.heads import Heads
from ragtrial.retrievers.dense.search import search


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make blocks so small that few vectors need many of them."""
    monkeypatch.setattr(module, "_QUERIES", 3)
    monkeypatch.setattr(module, "_TILE", 8)
    monkeypatch.setattr(module, "_QUERIES_OF_A_TILE", 5)
    monkeypatch.setattr(module, "_ROWS", 70)
    return


def whole_numbers(rng: np.random.Generator, shape: tuple[int, int], levels: int) -> np.ndarray:
    """Return vectors whose dot products are whole numbers: exact in float32 and float16, with many ties."""
    return rng.integers(-levels, levels + 1, shape).astype(np.float32)


def plain(vectors: np.ndarray, query: np.ndarray, depth: int | None) -> tuple[list[int], list[float]]:
    scores = [sum(float(a) * float(b) for a, b in zip(vector, query, strict=True)) for vector in vectors]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])[:depth]
    return order, [scores[place] for place in order]


@settings(max_examples=150)
@given(
    n_vectors=st.integers(1, 90),
    n_queries=st.integers(0, 12),
    depth=st.none() | st.integers(1, 30),
    levels=st.integers(0, 4),
    half=st.booleans(),
    seed=st.integers(0, 99),
)
@pytest.mark.usefixtures("small_blocks")
def test_search_equals_a_plain_loop(n_vectors, n_queries, depth, levels, half, seed):
    rng = np.random.default_rng(seed)
    vectors, queries = whole_numbers(rng, (n_vectors, 3), levels), whole_numbers(rng, (n_queries, 3), levels)
    found = list(search(vectors.astype(np.float16) if half else vectors, queries, depth))
    assert [(best.tolist(), scores.tolist()) for best, scores in found] == [
        plain(vectors, query, depth) for query in queries
    ]


@pytest.mark.parametrize("depth", [1, 10, 400, None])
@pytest.mark.parametrize("order", ["random", "rising", "falling", "equal"])
def test_search_in_many_vectors_whatever_their_order(depth: int | None, order: str):
    rng = np.random.default_rng(8)
    vectors = whole_numbers(rng, (20_000, 4), 20)
    queries = whole_numbers(rng, (300, 4), 3)
    scores = vectors @ queries[0]
    if order == "equal":
        vectors[:] = vectors[0]
    elif order != "random":
        vectors = vectors[np.argsort(scores if order == "rising" else -scores)]
    table = vectors.astype(np.float64) @ queries.T.astype(np.float64)
    for query, (best, values) in enumerate(search(vectors, queries, depth)):
        if query % 50 == 0:
            expected = np.argsort(-table[:, query], kind="stable")[:depth]
            assert best.tolist() == expected.tolist()
            assert values.tolist() == table[expected, query].tolist()


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=2, max_size=9), st.integers(1, 6))
def test_heads_keep_the_first_of_equal_scores(columns: list[list[int]], depth: int):
    scores = np.array(columns, dtype=np.float32).T  # 6 queries
    heads = Heads(6, depth)
    width = max(depth, 2)
    table = np.concatenate([np.tile(scores, (1, 4)), scores], axis=1)
    for first in range(0, table.shape[1], width):
        heads.add(np.ascontiguousarray(table[:, first : first + width]), first)
    places, values = heads.best()
    expected = np.argsort(-table, axis=1, kind="stable")[:, :depth]
    assert (places == expected).all()
    assert (values == np.take_along_axis(table, expected, axis=1)).all()


def test_memory_is_bounded_by_blocks_and_not_by_the_number_of_scores():
    import tracemalloc

    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((60_000, 8)).astype(np.float32)
    queries = rng.standard_normal((4_000, 8)).astype(np.float32)
    tracemalloc.start()
    for _ in search(vectors, queries, 10):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(vectors) * len(queries) / 4
