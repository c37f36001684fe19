"""Dense retrieval beside its bare parts, in one run: ``python benchmarks/dense.py [--chunks 100000] [--texts 64]``.

Three comparisons, each of CPU seconds, medians over rounds in which the sides take turns:

- search: the best 100 of 100,000 vectors of 384 components for 1,000 queries, beside the matrix product alone, 256
  queries at a time (no selection, one buffer), both on one thread: a second one that waits burns time too;
- embedding: the default model through `ModelEmbedder`, beside onnxruntime fed with the same batches, tokens ready;
- cache: vectors put and got by key, beside bare LMDB with the same keys and transactions, from and to an array.

Results are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy reads it

import lmdb
import numpy as np
import onnxruntime
import tokenizers

from common import DOCS, machine, print_table, take_turns
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import VectorCache
from ragtrial.embedders.load import load_model
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.wheels import minilm_files
from ragtrial.retrievers.dense.search import search

DIMENSION, QUERIES, TOP, BLOCK = 384, 1_000, 100, 256
VECTORS, TRANSACTION = 20_000, 4_096
IDENTITY = {"model": "benchmark"}


def main() -> None:
    """Time all three and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{machine()}\n")
    rows = [
        *searching(options.chunks, options.rounds),
        embedding(options.texts, options.rounds),
        *caching(options.rounds),
    ]
    print_table(["", "ragtrial, CPU s", "bare, CPU s", "ratio"], rows)


def compare(label: str, ours: Callable[[], object], bare: Callable[[], object], rounds: int) -> list[str]:
    """Return one row: the medians of both sides, and the median of the ratios of neighbours."""
    times = take_turns({"ours": ours, "bare": bare}, rounds)
    ratios = [mine / other for mine, other in zip(times["ours"], times["bare"], strict=True)]
    medians = [statistics.median(times[side]) for side in ("ours", "bare")]
    return [label, *(f"{seconds:.3f}" for seconds in medians), f"{statistics.median(ratios):.2f}"]


def unit_rows(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Return random vectors of length 1."""
    rows = rng.standard_normal((n_rows, DIMENSION), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def searching(n_chunks: int, rounds: int) -> list[list[str]]:
    """Compare the search with the matrix product alone."""
    rng = np.random.default_rng(2027)
    vectors, queries = unit_rows(rng, n_chunks), unit_rows(rng, QUERIES)
    half = vectors.astype(np.float16)
    for query, (best, _) in zip(queries[:3], search(vectors, queries[:3], TOP), strict=True):
        assert set(best[:50].tolist()) <= set(np.argsort(-(vectors @ query), kind="stable")[:TOP].tolist())
    buffer = np.empty((BLOCK, n_chunks), dtype=np.float32)

    def product() -> None:
        for start in range(0, QUERIES, BLOCK):
            block = queries[start : start + BLOCK]
            np.matmul(block, vectors.T, out=buffer[: len(block)])

    label = f"search, {n_chunks:,} x {DIMENSION}, {QUERIES:,} queries, best {TOP}"
    return [
        compare(f"{label}, {store.dtype}", lambda store=store: list(search(store, queries, TOP)), product, rounds)
        for store in (vectors, half)
    ]


def sample_texts(n_texts: int) -> list[str]:
    """Return pieces of documentation of 200 to 1,500 characters."""
    paths = sorted(path for folder in DOCS for path in folder.rglob("*.md"))
    text = "".join(path.read_text(encoding="utf-8") for path in paths[:40])
    lengths = np.random.default_rng(7).choice([200, 500, 800, 1_200, 1_500], n_texts)
    edges = np.concatenate([[0], np.cumsum(lengths)]).tolist()
    return [text[start:end] for start, end in pairwise(edges)]


def embedding(n_texts: int, rounds: int) -> list[str]:
    """Compare the default model with onnxruntime fed by hand."""
    texts = sample_texts(n_texts)
    embedder = load_model(ModelOptions())
    files = minilm_files()
    tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    ids = sorted((encoding.ids for encoding in tokenizer.encode_batch(texts)), key=len, reverse=True)
    batches = [padded(ids[start : start + embedder.batch]) for start in range(0, n_texts, embedder.batch)]
    session = onnxruntime.InferenceSession(str(files.model), providers=["CPUExecutionProvider"])

    def by_hand() -> list[np.ndarray]:
        return [session.run(None, feeds)[0] for feeds in batches]

    longest = by_hand()[0][0][: len(ids[0])].mean(axis=0)
    assert np.abs(embedder.embed(texts) @ (longest / np.linalg.norm(longest)) - 1).min() < 1e-5
    start = time.perf_counter()
    embedder.embed(texts)
    speed = n_texts / (time.perf_counter() - start)
    label = f"embedding, {n_texts} texts ({speed:.0f} texts a second)"
    return compare(label, lambda: embedder.embed(texts), by_hand, rounds)


def padded(rows: list[list[int]]) -> Mapping[str, np.ndarray]:
    """Return what the model is fed for one batch."""
    ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def caching(rounds: int) -> list[list[str]]:
    """Compare the cache with bare LMDB."""
    vectors = unit_rows(np.random.default_rng(3), VECTORS)
    keys = vector_keys(IDENTITY, "document", "", map(str, range(VECTORS)))
    with tempfile.TemporaryDirectory() as folder:
        filled = VectorCache(Path(folder) / "filled")
        filled.put(IDENTITY, keys, vectors, [1] * VECTORS)
        bare = lmdb.open(str(Path(folder) / "bare"), map_size=2**28)
        put_bare(bare, keys, vectors)
        assert (filled.get(keys, DIMENSION).vectors == vectors).all()
        assert (get_bare(bare, keys) == vectors).all()
        number = iter(range(1_000))

        def put_ours() -> None:
            cache = VectorCache(Path(folder) / f"ours-{next(number)}")
            cache.put(IDENTITY, keys, vectors, [1] * VECTORS)
            cache.database.close()

        def put_theirs() -> None:
            environment = lmdb.open(str(Path(folder) / f"bare-{next(number)}"), map_size=2**28)
            put_bare(environment, keys, vectors)
            environment.close()

        return [
            compare(f"cache put, {VECTORS:,} vectors", put_ours, put_theirs, rounds),
            compare(
                f"cache get, {VECTORS:,} vectors",
                lambda: filled.get(keys, DIMENSION),
                lambda: get_bare(bare, keys),
                rounds,
            ),
        ]


def put_bare(environment: lmdb.Environment, keys: list[bytes], vectors: np.ndarray) -> None:
    """Put vectors into LMDB, one by one."""
    for start in range(0, len(keys), TRANSACTION):
        with environment.begin(write=True) as transaction:
            for key, vector in zip(
                keys[start : start + TRANSACTION], vectors[start : start + TRANSACTION], strict=True
            ):
                transaction.put(key, vector.tobytes())


def get_bare(environment: lmdb.Environment, keys: list[bytes]) -> np.ndarray:
    """Get vectors from LMDB, one by one, into an array."""
    found = np.empty((len(keys), DIMENSION), dtype=np.float32)
    with environment.begin() as transaction:
        for row, key in enumerate(keys):
            found[row] = np.frombuffer(transaction.get(key), dtype=np.float32)
    return found


if __name__ == "__main__":
    main()
