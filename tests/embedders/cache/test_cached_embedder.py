"""With the cache a text is embedded once, ever, and the vectors are those of the model, cold or warm."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.embedders.base import Progress
from ragtrial.embedders.cache import embedder as module
from ragtrial.embedders.cache.embedder import CachedEmbedder
from ragtrial.embedders.cache.store import VectorCache, open_cache
from ragtrial.embedders.conventions import Prefixes
from ragtrial.embedders.load import load
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.selftest import _TEXTS
from ragtrial.errors import DataError

PREFIXES = Prefixes("q: ", "")

TEXTS = st.text(max_size=3).filter(lambda text: text not in _TEXTS)
"""Texts that the self-test, whose own ones are not counted, does not use."""


@pytest.fixture
def cache(own_cache: Path) -> VectorCache:
    return open_cache(own_cache)


def over(encoder, cache: VectorCache, prefixes: Prefixes = PREFIXES) -> CachedEmbedder:
    return CachedEmbedder(ModelEmbedder("The model 'm'", encoder, prefixes), cache)


@settings(max_examples=25)
@given(rounds=st.lists(st.lists(TEXTS, max_size=8), max_size=4), kind=st.sampled_from(["query", "document"]))
def test_vectors_are_the_models_and_a_text_is_embedded_once(tmp_path_factory, made_up, rounds: list, kind: str):
    cache = VectorCache(tmp_path_factory.mktemp("cache"))
    encoder, plain = made_up(), ModelEmbedder("m", made_up(), PREFIXES)
    for texts in rounds:
        # A new embedder each time, as in the next process.
        vectors = over(encoder, cache).embed(texts, kind)
        assert vectors.tobytes() == plain.embed(texts, kind).tobytes()
    prefix = getattr(PREFIXES, kind)
    assert sorted(encoder.seen()) == sorted(prefix + text for text in {text for texts in rounds for text in texts})
    cache.database.close()


def test_a_warm_cache_loads_no_model_and_knows_what_was_cut(made_up, cache: VectorCache):
    texts = ["short", "longer than twelve", "short"]
    cold = over(made_up(), cache).embed(texts)
    encoder = made_up()
    warm = over(encoder, cache)
    assert warm.embed(texts).tobytes() == cold.tobytes()
    assert warm.dimension == 6
    assert warm.cut(texts) == 1
    assert encoder.calls == []
    assert warm.cut([*texts, "another that is too long"]) == 2


def test_a_backend_that_does_not_tell_is_not_said_to_have_cut_nothing(made_up, cache: VectorCache):
    encoder = made_up()
    encoder.window = None
    embedder = over(encoder, cache)
    embedder.embed(["a"])
    assert embedder.cut(["a"]) is None


def test_kinds_and_prefixes_do_not_share_vectors_and_other_prefixes_cost_only_their_own(made_up, cache: VectorCache):
    encoder = made_up()
    over(encoder, cache).embed(["a"], "document")
    over(encoder, cache).embed(["a"], "query")
    over(encoder, cache, Prefixes("other: ", "")).embed(["a"], "query")
    over(encoder, cache, Prefixes("other: ", "")).embed(["a"], "document")
    assert encoder.seen() == ["a", "q: a", "other: a"]


def test_another_model_does_not_get_the_vectors(made_up, cache: VectorCache):
    over(made_up(6), cache).embed(["a"])
    assert over(made_up(7), cache).embed(["a"]).shape == (1, 7)
    assert [model.dimension for model in cache.models()] in ([6, 7], [7, 6])


def test_progress_counts_what_is_missing(made_up, cache: VectorCache):
    told: list[Progress] = []
    over(made_up(), cache).embed(["a", "b"])
    over(made_up(), cache).embed(["a", "b", "c", "d", "e", "f", "g"], progress=told.append)
    assert [(step.done, step.total) for step in told] == [(4, 5), (5, 5)]
    told.clear()
    over(made_up(), cache).embed(["a", "b"], progress=told.append)
    assert told == []


def test_what_was_embedded_before_a_failure_is_kept(made_up, cache: VectorCache):
    def fails_on_a(texts, vectors):
        if "a" in texts:
            raise DataError("The server went away.")
        return vectors

    encoder = made_up(change=fails_on_a)
    embedder = over(encoder, cache)
    with pytest.raises(DataError, match="went away"):
        embedder.embed(["a", "bb", "ccc", "dddd", "eeeee"])
    encoder.change = None
    encoder.calls.clear()
    embedder.embed(["a", "bb", "ccc", "dddd", "eeeee"])
    assert encoder.seen() == ["a"]


def test_vectors_are_written_while_the_model_goes_on(made_up, cache: VectorCache, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_WRITES", -1.0)
    held: list[int] = []

    def counting(texts, vectors):
        held.append(sum(model.vectors for model in cache.models()))
        return vectors

    encoder = made_up(change=counting)
    over(encoder, cache).embed([f"text {number}" for number in range(12)])
    assert held[-3:] == [1, 5, 9]  # the probe, then four more after every batch


def test_another_model_behind_the_same_name_is_refused(made_up, cache: VectorCache):
    over(made_up(), cache).embed(["a"])
    turned = made_up(change=lambda texts, vectors: vectors[:, ::-1])
    with pytest.raises(DataError, match="The model 'm' gives other vectors now than those under its name in the cache"):
        over(turned, cache).embed(["b"])
    longer = made_up(9)
    longer.identity = made_up().identity
    with pytest.raises(DataError, match="gives other vectors now"):
        over(longer, cache).embed(["b"])
    # Vectors that are there already are still given, and rounding is no other model.
    assert (over(turned, cache).embed(["a"]) == over(made_up(), cache).embed(["a"])).all()
    nearly = made_up(change=lambda texts, vectors: vectors + 1e-3)
    assert over(nearly, cache).embed(["b"]).shape == (1, 6)


def test_no_text_needs_no_model_but_its_size(made_up, cache: VectorCache):
    assert over(made_up(), cache).embed([]).shape == (0, 6)
    assert over(made_up(), cache).cut([]) == 0


def test_the_default_model_is_the_same_cold_and_warm(minilm: ModelEmbedder):
    texts = ["the cat sat", "x " * 300, "the cat sat"]
    cold = load(ModelOptions())
    vectors = cold.embed(texts)
    warm = CachedEmbedder(minilm, cold.cache)
    assert warm.embed(texts).tobytes() == vectors.tobytes() == minilm.embed(texts).tobytes()
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    assert warm.cut(texts) == cold.cut(texts) == 1
