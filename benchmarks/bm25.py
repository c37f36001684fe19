"""BM25 beside rank_bm25 0.2.2, in one run and on the same words: ``python benchmarks/bm25.py [--chunks 100000]``.

The text is synthetic: words drawn from a Zipf-Mandelbrot law over 200,000 words, chunks of about 150 words; questions
are 10 words in a row of some chunk, so that they hold the usual share of very common words. Times are CPU seconds,
medians over rounds in which the two sides take turns. Scores are compared to the last bit before anything is timed.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable

import numpy as np
from rank_bm25 import BM25Okapi

from ragtrial.retrievers.bm25 import BM25

VOCABULARY, MEAN_LENGTH, QUERY_LENGTH, TOP = 200_000, 150, 10, 100
OURS = BM25(variant="okapi", words="study")


def main() -> None:
    """Time both sides and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(2027)
    chunks = zipf_chunks(rng, options.chunks)
    print(f"one pool of {len(chunks):,} chunks, {sum(map(len, chunks)):,} words")
    searching(rng, chunks, options.rounds)
    compare("  index", lambda: OURS.index_words(chunks), lambda: BM25Okapi(chunks), options.rounds)
    many_pools(chunks[:7_200], pool_size=24, rounds=options.rounds)


def zipf_chunks(rng: np.random.Generator, n_chunks: int) -> list[list[str]]:
    """Draw chunks of words; equal words are one object on both sides, as after interning."""
    words = np.array([f"w{rank}" for rank in range(VOCABULARY)], dtype=object)
    law = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7) ** 1.05)
    lengths = rng.poisson(MEAN_LENGTH, n_chunks)
    ranks = np.searchsorted(law, rng.random(lengths.sum()) * law[-1])
    return [piece.tolist() for piece in np.split(words[ranks], np.cumsum(lengths)[:-1])]


def searching(rng: np.random.Generator, chunks: list[list[str]], rounds: int) -> None:
    """Search one pool that holds all chunks."""
    ours, theirs = OURS.index_words(chunks), BM25Okapi(chunks)
    queries = [chunks[int(number)][:QUERY_LENGTH] for number in rng.integers(len(chunks), size=50)]
    for query in queries[:5]:
        assert np.array_equal(ours.scores(" ".join(query)), theirs.get_scores(query))
    numbers = list(range(len(chunks)))
    compare(
        f"  a query, scores and top {TOP}",
        lambda: [ours.top(" ".join(query), TOP) for query in queries],
        lambda: [theirs.get_top_n(query, numbers, TOP) for query in queries[:5]],
        rounds,
        per=(len(queries), 5),
    )


def many_pools(chunks: list[list[str]], pool_size: int, rounds: int) -> None:
    """Index many small pools and rank one pool for each of three questions a pool."""
    pools = np.arange(len(chunks)) // pool_size
    asked = np.repeat(np.arange(pools[-1] + 1), 3)
    queries = [chunks[int(pool) * pool_size + turn % 3][:QUERY_LENGTH] for turn, pool in enumerate(asked)]
    texts = [" ".join(query) for query in queries]
    print(f"{pools[-1] + 1} pools of {pool_size} chunks, {len(queries)} questions, index and whole ranking")

    def theirs() -> None:
        starts = range(0, len(chunks), pool_size)
        indexes = [BM25Okapi(chunks[start : start + pool_size]) for start in starts]
        for query, pool in zip(queries, asked, strict=True):
            np.argsort(-indexes[pool].get_scores(query), kind="stable")

    compare("  all", lambda: OURS.index_words(chunks, pools).rank(texts, asked), theirs, rounds)


def compare(
    label: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int, per: tuple[int, int] = (1, 1)
) -> None:
    """Print the median CPU time of both sides and how many times faster ours is."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for side, call in enumerate((ours, theirs)):
            gc.collect()
            start = time.process_time()
            call()
            times[side].append((time.process_time() - start) / per[side])
    mine, other = map(statistics.median, times)
    print(f"{label}: ragtrial {mine * 1e3:,.3f} ms, rank_bm25 {other * 1e3:,.3f} ms, {other / mine:,.2f}x the speed")


if __name__ == "__main__":
    main()
