"""A model whose vectors depend on their neighbours in a batch is found; rounding is not taken for it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ragtrial.embedders.load import load_model
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.selftest import TOLERANCE, self_test


def test_the_default_model_gives_the_same_bits_alone_and_in_batches(minilm: ModelEmbedder):
    assert minilm.tested.batched == 0.0
    assert not minilm.tested.alone
    texts = ["x", "the cat sat on the mat " * 20, "Ünïcödé 東京", "a b c d e f g", "SELECT * FROM t;"]
    together = minilm.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert minilm.embed([text])[0].tobytes() == vector.tobytes()


def test_a_dynamically_quantised_model_is_found_and_run_one_text_at_a_time(tiny_models: Path):
    plain = load_model(ModelOptions(str(tiny_models / "plain"), pooling="mean", max_length=16))
    dynamic = load_model(ModelOptions(str(tiny_models / "dynamic"), pooling="mean", max_length=16))
    assert not plain.tested.alone
    assert dynamic.tested.alone
    assert dynamic.tested.batched > 100 * TOLERANCE
    assert (plain.batch, dynamic.batch) == (8, 1)
    texts = ["the cat", "mat", "a dog sat .", "mat mat mat"]
    # The encoder itself mixes the texts of a batch; the embedder does not let it.
    assert not np.allclose(dynamic.encoder.encode(texts, "document")[0], dynamic.encoder.encode(texts[:1], "document"))
    for text, vector in zip(texts, dynamic.embed(texts), strict=True):
        assert (dynamic.embed([text])[0] == vector).all()


def wavering(noise: float, mixing: float):
    """Return an encoder whose answers waver, and that mixes the texts of a batch."""
    rng = np.random.default_rng(3)

    def encode(texts: Sequence[str]) -> np.ndarray:
        vectors = np.array([[len(text), text.count("a"), 9.0] for text in texts])
        vectors = vectors + mixing * vectors.max(axis=0) * (len(texts) > 1)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors + noise * rng.standard_normal(vectors.shape)).astype(np.float32)

    return encode


def test_rounding_is_no_dependence():
    result = self_test(wavering(1e-7, 0.0))
    assert not result.alone
    assert 0 < result.batched < TOLERANCE
    assert result.repeatable


def test_a_service_that_wavers_is_known_as_such_and_keeps_its_batches():
    result = self_test(wavering(1e-3, 0.0))
    assert not result.alone
    assert not result.repeatable


def test_a_service_that_mixes_texts_is_found_although_it_wavers():
    result = self_test(wavering(1e-4, 0.1))
    assert result.alone
    assert result.batched > 10 * result.repeated > 0
