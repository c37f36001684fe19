"""Two stages against plain loops: the same vectors, sections first, the rest behind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers.bm25 import BM25
from ragtrial.retrievers.dense import Dense, DenseIndex
from ragtrial.retrievers.routed import Routed, RoutedIndex, found_sections
from ragtrial.retrievers.vectors import vectors_of

from .made_up import MadeUpEmbedder, rows

CORPUS = st.lists(
    st.tuples(st.sampled_from("abcdefghijkl"), st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=30
)


def build(embedder: MadeUpEmbedder, corpus: list, keep: int, store: str = "float32") -> RoutedIndex:
    texts, pools = [text for text, _, _ in corpus], [pool for _, _, pool in corpus]
    # A section lies in one pool.
    section = np.array([10 * pool + number for _, number, pool in corpus], dtype=np.int64)
    return RoutedIndex.build(DenseIndex.build(embedder, texts, pools, store), section, keep)


def looped(embedder: MadeUpEmbedder, corpus: list, keep: int, query: str, pool: int) -> tuple[list[int], list[int]]:
    """Return the kept sections, best first, and the ranking, with each score computed in float64."""
    members = [number for number, (_, _, own) in enumerate(corpus) if own == pool]
    asked = embedder.vector(query).astype(np.float64)
    vectors = {number: embedder.vector(corpus[number][0]).astype(np.float64) for number in members}
    sections: dict[int, list[int]] = {}
    for number in members:
        sections.setdefault(10 * pool + corpus[number][1], []).append(number)
    nearness = {}
    for section in sorted(sections):
        mean = sum(vectors[number] for number in sections[section]) / len(sections[section])
        nearness[section] = round(float(asked @ (mean / np.linalg.norm(mean))), 6)
    kept = sorted(nearness, key=lambda section: -nearness[section])[:keep]
    flat = sorted(members, key=lambda number: -round(float(asked @ vectors[number]), 6))
    inside = {number for section in kept for number in sections[section]}
    return kept, [n for n in flat if n in inside] + [n for n in flat if n not in inside]


@settings(max_examples=60)
@given(corpus=CORPUS, keep=st.integers(1, 4), seed=st.integers(0, 999))
def test_sections_and_ranking_equal_a_plain_loop(corpus: list, keep: int, seed: int):
    embedder = MadeUpEmbedder()
    index = build(embedder, corpus, keep)
    queries, pools = [f"q{seed}", f"r{seed}", "s"], [0, 1, 7]
    kept, ranking = index.kept(queries, pools), index.rank(queries, pools)
    for question, (query, pool) in enumerate(zip(queries, pools, strict=True)):
        sections, order = looped(embedder, corpus, keep, query, pool)
        assert kept.of(question)[0].tolist() == sections
        chunks, scores = ranking.of(question)
        assert chunks.tolist() == order
        assert (np.diff(scores) <= 0).all()


@settings(max_examples=40)
@given(corpus=CORPUS, keep=st.integers(1, 4), depth=st.integers(1, 32))
def test_a_depth_gives_the_head_of_the_whole_ranking(corpus: list, keep: int, depth: int):
    index = build(MadeUpEmbedder(directions=4), corpus, keep)
    asked = (["q", "a", "z"], [0, 1, 7])
    assert index.rank(*asked, depth=depth) == index.rank(*asked).top(depth)


@given(corpus=CORPUS)
def test_with_all_sections_kept_the_ranking_is_flat_search(corpus: list):
    index = build(MadeUpEmbedder(directions=4), corpus, 99)
    asked = (["q", "a"], [0, 1])
    assert index.rank(*asked) == index.flat.rank(*asked)


@pytest.mark.parametrize("store", ["float32", "float16"])
def test_both_stages_use_the_very_vectors_of_flat_search(store: str):
    corpus = [(f"text {number % 23}", number % 5, number % 2) for number in range(60)]
    embedder = MadeUpEmbedder(size=16)
    index = build(embedder, corpus, 2, store)
    flat = DenseIndex.build(embedder, [text for text, _, _ in corpus], [pool for _, _, pool in corpus], store)
    for number, pool in flat.pools.items():
        assert index.flat.pools[number].vectors.tobytes() == pool.vectors.tobytes()
        chunks, vectors = vectors_of(index.flat.pools[number])
        rows_of_centroids, centroids = vectors_of(index.centroids.pools[number])
        for row, centroid in zip(rows_of_centroids.tolist(), centroids, strict=True):
            of_section = index.section_of_chunk[chunks] == index.section_of_row[row]
            mean = vectors[of_section].astype(np.float64).mean(axis=0)
            assert np.allclose(centroid, mean / np.linalg.norm(mean), atol=1e-7)
    # Documents were embedded once for both stages.
    assert sum(kind == "document" for _, kind in embedder.calls) == 2  # one for each index above


def test_the_backfill_comes_behind_better_scores_and_is_moved_below_them():
    vectors = {"near, far section": [1, 0], "far 1": [-0.6, 0.8], "half 1": [0.6, 0.8], "half 2": [0.8, -0.6]}

    class Fixed(MadeUpEmbedder):
        def vector(self, text: str) -> np.ndarray:
            return np.array(vectors.get(text, [1, 0]), dtype=np.float32)

    section = np.array([0, 0, 1, 1], dtype=np.int64)
    index = RoutedIndex.build(DenseIndex.build(Fixed(2), list(vectors), None, "float32"), section, 1)
    ((chunks, scores),) = rows(index.rank(["q"], [0]))
    assert chunks == [3, 2, 0, 1]
    assert scores == pytest.approx([0.8, 0.6, 0.6, -1.0])


def test_vectors_that_cancel_out_leave_a_section_that_is_near_to_nothing():
    class Opposite(MadeUpEmbedder):
        def vector(self, text: str) -> np.ndarray:
            return np.array({"up": [0, 1], "down": [0, -1], "left": [-1, 0]}.get(text, [1, 0]), dtype=np.float32)

    flat = DenseIndex.build(Opposite(2), ["up", "down", "left"], None, "float32")
    kept = RoutedIndex.build(flat, np.array([0, 0, 1]), 2).kept(["q"], [0])
    assert rows(kept) == [([0, 1], [0.0, -1.0])]


def test_the_diagnostic_says_whether_a_section_with_evidence_was_kept():
    index = build(MadeUpEmbedder(), [("a", 0, 0), ("b", 1, 0), ("c", 2, 0)], 2)
    kept = index.kept(["q", "q", "q", "q"], [0, 0, 0, 9])
    best, second = kept.of(0)[0].tolist()
    (lost,) = {0, 1, 2} - {best, second}
    assert found_sections(kept, [{best}, {lost, second}, {lost}, {best}]).tolist() == [True, True, False, False]
    with pytest.raises(UsageError, match="4 questions but the sections of 1"):
        found_sections(kept, [{1}])


def test_no_chunks_and_no_questions_need_no_model():
    embedder = MadeUpEmbedder()
    index = RoutedIndex.build(DenseIndex.build(embedder, [], None, "float32"), np.empty(0, dtype=np.int64), 5)
    assert rows(index.rank(["q"], [0])) == [([], [])]
    assert index.kept([], []).n_questions == 0
    assert not embedder.calls


def test_what_cannot_be_routed_is_refused():
    with pytest.raises(SpecError, match="bm25 has no vectors to make centroids of"):
        Routed(BM25())
    with pytest.raises(SpecError, match="sections"):
        Routed(Dense(), sections=0)
    index = build(MadeUpEmbedder(), [("a", 0, 0)], 1)
    with pytest.raises(UsageError, match="at least 1 chunk, not 0"):
        index.rank(["q"], [0], 0)
    with pytest.raises(UsageError, match="2 queries but 1 pools"):
        index.rank(["q", "r"], [0])


def test_it_prints_itself_back():
    assert str(Routed()) == "routed"
    assert str(Routed(Dense("m"), sections=3)) == "routed(dense('m'), sections=3)"
