"""The retriever dense over pools, with an embedder that can be worked out by hand and with the default model."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.embedders import load
from ragtrial.embedders.cache import store
from ragtrial.errors import SpecError, UsageError
from ragtrial.retrievers import RETRIEVERS
from ragtrial.retrievers.dense import Dense, DenseIndex
from ragtrial.retrievers.ranking import Ranking
from ragtrial.specs import parse_call

TEXT = st.sampled_from(["a", "b", "c", "d", "B"])
POOLED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5, 9])), max_size=20)
ASKED = st.lists(st.tuples(TEXT, st.sampled_from([0, 1, 5, 9, 77])), max_size=6)


class HashEmbedder:
    """Gives each text four small whole numbers, whatever its case: texts may share a vector, and scores tie."""

    dimension = 4

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], str]] = []

    def identity(self) -> dict:
        return {}

    def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
        self.asked.append((list(texts), kind))
        rows = [[byte % 4 - 1 for byte in hashlib.sha256(text.lower().encode()).digest()[:4]] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 4)

    def cut(self, texts: Sequence[str], kind: str = "document") -> int:
        return 0


def index_of(pooled: list, dtype: str = "float32") -> DenseIndex:
    return DenseIndex.build(HashEmbedder(), [text for text, _ in pooled], [pool for _, pool in pooled], dtype)


def ranked(pooled: list, asked: list, depth: int | None = None, dtype: str = "float32") -> Ranking:
    pools = np.array([pool for _, pool in asked], dtype=np.int64)
    return index_of(pooled, dtype).rank([text for text, _ in asked], pools, depth)


@given(pooled=POOLED, asked=ASKED, dtype=st.sampled_from(["float32", "float16"]))
def test_rankings_are_those_of_a_plain_loop_over_each_pool(pooled: list, asked: list, dtype: str):
    ranking = ranked(pooled, asked, dtype=dtype)
    embed = HashEmbedder().embed
    assert ranking.n_questions == len(asked)
    for question, (query, pool) in enumerate(asked):
        members = [number for number, (_, own) in enumerate(pooled) if own == pool]
        scores = {number: float((embed([pooled[number][0]]) * embed([query])).sum()) for number in members}
        chunks, found = ranking.of(question)
        assert chunks.tolist() == sorted(members, key=lambda number: -scores[number])
        assert found.tolist() == [scores[number] for number in chunks.tolist()]


@given(pooled=POOLED, asked=ASKED, depth=st.integers(1, 25))
def test_a_depth_gives_the_head_of_the_whole_ranking(pooled: list, asked: list, depth: int):
    assert ranked(pooled, asked, depth) == ranked(pooled, asked).top(depth)


def test_chunks_with_one_vector_have_exactly_one_score_and_keep_their_order():
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((40, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    class Fixed(HashEmbedder):
        def embed(self, texts: Sequence[str], kind: str = "document", progress: object = None) -> np.ndarray:
            return vectors[[int(text.split()[0]) for text in texts]]

    numbers = rng.integers(0, 40, 3_000)
    # Other texts with the same vector: only the vectors can tell.
    index = DenseIndex.build(Fixed(), [f"{number} {place}" for place, number in enumerate(numbers)], None, "float32")
    ranking = index.rank(["3 q", "39 q"], [0, 0])
    for question in range(2):
        chunks, scores = ranking.of(question)
        for number in range(40):
            of_number = np.flatnonzero(numbers[chunks] == number)
            assert len(set(scores[of_number].tolist())) == 1
            assert (np.diff(chunks[of_number]) > 0).all()
            assert (np.diff(of_number) == 1).all()
    assert index.rank(["3 q", "39 q"], [0, 0], 50) == ranking.top(50)


def test_identical_texts_are_embedded_once_and_questions_only_where_there_is_a_pool():
    embedder = HashEmbedder()
    index = DenseIndex.build(embedder, ["b", "a", "b"], None, "float32")
    assert embedder.asked == [(["b", "a"], "document")]
    assert index.rank(["a"], [7]).n_questions == 1
    assert len(embedder.asked) == 1
    index.rank(["a", "a"], [0, 0])
    assert embedder.asked[1:] == [(["a", "a"], "query")]


def test_no_texts_and_no_questions_are_no_fault():
    assert DenseIndex.build(HashEmbedder(), [], None, "float32").rank(["a"], [0]).chunks.tolist() == []
    assert DenseIndex.build(HashEmbedder(), ["a"], None, "float32").rank([], []).n_questions == 0


def test_texts_and_pools_of_different_numbers_are_refused():
    with pytest.raises(UsageError, match=r"2 texts, but the pools have the shape \(3,\)"):
        DenseIndex.build(HashEmbedder(), ["a", "b"], [0, 0, 0], "float32")
    with pytest.raises(UsageError, match="1 queries but 2 pools"):
        index_of([("a", 0)]).rank(["a"], [0, 0])


def test_vectors_of_questions_can_be_given():
    index = index_of([("a", 0), ("b", 0), ("c", 3)])
    vectors = HashEmbedder().embed(["b", "c"])
    assert index.rank_vectors(vectors, [0, 3], 1) == index.rank(["b", "c"], [0, 3], 1)


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("dense", "dense"),
        ("dense('minilm')", "dense"),
        ("dense('BAAI/bge-small-en-v1.5', backend='fastembed', query_prefix='')", None),
        ("dense('text-embedding-3-small', backend='openai', dimensions=256, store='float16')", None),
        (
            "dense('models/e5', pooling='mean', max_length=512, task=None)",
            "dense('models/e5', pooling='mean', max_length=512)",
        ),
    ],
)
def test_specs_read_back(spec: str, printed: str | None):
    built = RETRIEVERS.build(parse_call(spec))
    assert str(built) == (printed or spec)
    assert RETRIEVERS.build(parse_call(str(built))) == built


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("dense('minilm', url='http://localhost/v1')", "The backend 'onnx' takes no url"),
        (
            "dense('m', backend='gpt')",
            "backend: Input should be 'onnx', 'sentence-transformers', 'fastembed' or 'openai'",
        ),
        ("dense('m', max_length=0)", "max_length: Input should be greater than or equal to 1"),
        ("dense('m', store='int8')", "store: Input should be 'float32' or 'float16'"),
    ],
)
def test_what_cannot_be_built_is_named(spec: str, message: str):
    with pytest.raises(SpecError, match=message):
        RETRIEVERS.build(parse_call(spec))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("onnxruntime", reason="needs the extra local")
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path))
    yield tmp_path
    load._shared.cache_clear()
    store._opened.cache_clear()


CHUNKS = [
    "Knead the dough, let it rise, then bake it for forty minutes.",
    "Shares fell sharply after the bank raised its rates.",
    "Install the package with pip and import it.",
    "Knead the dough, let it rise, then bake it for forty minutes.",
    "The cache driver is set in the environment file.",
]
QUESTIONS = ["How do I make bread?", "Why did the stock market drop?", "Where do I configure caching?"]


@pytest.mark.usefixtures("own_cache")
def test_the_default_model_finds_what_is_asked_for():
    dense = Dense()
    ranking = dense.index(CHUNKS).rank(QUESTIONS, [0, 0, 0])
    assert [ranking.of(question)[0][0] for question in range(3)] == [0, 1, 4]
    chunks, scores = ranking.of(0)
    assert chunks[:2].tolist() == [0, 3]
    assert scores[0] == scores[1]
    embedder = dense.embedder()
    table = embedder.embed(QUESTIONS, "query").astype(np.float64) @ embedder.embed(CHUNKS).T.astype(np.float64)
    for question in range(3):
        chunks, scores = ranking.of(question)
        assert scores == pytest.approx(table[question, chunks], abs=1e-6)
    half = Dense(store="float16").index(CHUNKS).rank(QUESTIONS, [0, 0, 0])
    assert half.scores == pytest.approx(ranking.scores, abs=1e-3)
    assert (half.chunks == ranking.chunks).all()


@pytest.mark.usefixtures("own_cache")
def test_parameters_say_what_the_model_is_by_content_and_nothing_of_the_machine(tmp_path: Path):
    parameters = Dense().parameters()
    assert parameters["embedder"]["files"]["model.onnx"].startswith("8199be6f699a395f")
    assert parameters["embedder"]["max_length"] == 256
    assert parameters["store"] == "float32"
    assert "runtime" not in parameters["embedder"]
    assert str(tmp_path) not in str(parameters)
    assert Dense().to_dict() == parameters


@pytest.mark.usefixtures("own_cache")
@settings(max_examples=5)
@given(st.sampled_from([(1, 4), (2, 64)]))
def test_a_ranking_depends_on_no_threads_batch_or_warmth(choice: tuple[int, int]):
    threads, batch = choice
    with pytest.MonkeyPatch.context() as patch:
        cold = Dense().index(CHUNKS).rank(QUESTIONS, [0, 0, 0])
        patch.setenv("RAGTRIAL_THREADS", str(threads))
        patch.setenv("RAGTRIAL_BATCH", str(batch))
        warm = Dense().index(CHUNKS).rank(QUESTIONS, [0, 0, 0])
        patch.setenv("RAGTRIAL_CACHE", "off")
        uncached = Dense().index(CHUNKS).rank(QUESTIONS, [0, 0, 0])
    assert warm == cold
    assert (uncached.chunks == cold.chunks).all()
    assert uncached.scores == pytest.approx(cold.scores, abs=1e-6)
