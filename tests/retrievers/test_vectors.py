"""Indexes of given vectors equal those that embed the texts themselves."""

import numpy as np
import pytest

from ragtrial.retrievers.dense import DenseIndex
from ragtrial.retrievers.vectors import index_vectors, vectors_of

from .made_up import MadeUpEmbedder

TEXTS = [f"text {number % 17}" for number in range(40)]
POOLS = [number * 7 % 3 for number in range(40)]


@pytest.mark.parametrize("store", ["float32", "float16"])
def test_given_vectors_are_searched_as_embedded_ones(store: str):
    embedder = MadeUpEmbedder(directions=9)
    given = index_vectors(embedder, embedder.embed(TEXTS), POOLS, store)
    embedded = DenseIndex.build(embedder, TEXTS, POOLS, store)
    asked = (["q", "text 3", "r"], [0, 2, 5])
    assert given.rank(*asked) == embedded.rank(*asked)
    assert given.rank(*asked, depth=4) == embedded.rank(*asked).top(4)


@pytest.mark.parametrize("directions", [None, 4])
@pytest.mark.parametrize("store", [np.float32, np.float16])
def test_the_vectors_of_an_index_are_those_of_its_chunks(directions: int | None, store: type):
    embedder = MadeUpEmbedder(directions=directions)
    index = DenseIndex.build(embedder, TEXTS, POOLS, store)
    for number, pool in index.pools.items():
        chunks, vectors = vectors_of(pool)
        assert chunks.tolist() == [place for place, own in enumerate(POOLS) if own == number]
        assert vectors.tobytes() == embedder.embed([TEXTS[place] for place in chunks]).astype(store).tobytes()


def test_no_chunks_make_an_index_without_pools():
    embedder = MadeUpEmbedder()
    index = index_vectors(embedder, np.empty((0, 5), dtype=np.float32), None)
    assert index.rank(["q"], [0]).n_questions == 1
    assert not embedder.calls
