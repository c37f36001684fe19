"""An embedder gives its encoder every different text once, in batches by length, and refuses what it should not get."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.embedders.base import Progress
from ragtrial.embedders.conventions import Prefixes
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.errors import DataError

NO_WORDS = Prefixes("", "")


@given(texts=st.lists(st.text(max_size=20), max_size=15), batch=st.integers(1, 6))
def test_vectors_stand_in_the_order_of_the_texts_whatever_the_batch(made_up, texts: list[str], batch: int):
    embedder = ModelEmbedder("M", made_up(), Prefixes("q: ", "d: "), batch)
    vectors = embedder.embed(texts, "query")
    assert vectors.shape == (len(texts), 6)
    for text, vector in zip(texts, vectors, strict=True):
        raw = made_up().encode([f"q: {text}"], "query")[0].astype(np.float64)
        assert vector == pytest.approx(raw / np.linalg.norm(raw), abs=1e-6)
    assert sorted(embedder.encoder.seen()) == sorted(f"q: {text}" for text in set(texts))


def test_batches_are_sorted_by_length_and_know_what_the_texts_are_for(made_up):
    encoder = made_up()
    embedder = ModelEmbedder("M", encoder, Prefixes("q: ", ""), batch=2)
    assert embedder.dimension == 6
    encoder.calls.clear()
    embedder.embed(["aa", "a", "aaaa", "a", "aaa"], "query")
    assert encoder.calls == [(["q: aaaa", "q: aaa"], "query"), (["q: aa", "q: a"], "query")]


def test_nothing_is_loaded_before_a_text_is_embedded(made_up):
    encoder = made_up()
    embedder = ModelEmbedder("M", encoder, Prefixes("q: ", "d: "))
    assert embedder.identity() == {"backend": "made-up", "size": 6, "query_prefix": "q: ", "document_prefix": "d: "}
    assert embedder.cut(["a"]) == 0
    assert encoder.calls == []


def test_cut_texts_are_counted_with_their_prefix_and_as_often_as_they_stand(made_up):
    embedder = ModelEmbedder("M", made_up(), Prefixes("", "doc: "))
    texts = ["1234567", "12345678", "12345678", ""]
    assert embedder.cut(texts) == 2
    assert embedder.cut(texts, "query") == 0
    encoder = made_up()
    encoder.window = None
    assert ModelEmbedder("M", encoder, NO_WORDS).cut(texts) is None


def test_progress_is_told_after_every_batch(made_up):
    told: list[Progress] = []
    ModelEmbedder("M", made_up(), NO_WORDS, batch=2).embed(["a", "b", "c", "a", "d", "e"], progress=told.append)
    assert [(step.done, step.total) for step in told] == [(2, 5), (4, 5), (5, 5)]
    assert told[-1].seconds_left == 0
    assert all(step.seconds_left >= 0 for step in told)


def test_a_model_that_mixes_texts_gets_them_one_by_one(made_up):
    encoder = made_up(change=lambda texts, vectors: vectors + 50 * (len(texts) > 1))
    embedder = ModelEmbedder("M", encoder, NO_WORDS, batch=4)
    embedder.embed(["a", "bb", "ccc"])
    assert [texts for texts, _ in encoder.calls[-3:]] == [["ccc"], ["bb"], ["a"]]


def test_a_model_that_changes_its_size_is_refused(made_up):
    encoder = made_up()
    embedder = ModelEmbedder("The model 'm'", encoder, NO_WORDS)
    assert embedder.dimension == 6
    encoder.size = 5
    with pytest.raises(DataError, match="The model 'm' gave vectors of 5 components where they have 6"):
        embedder.embed(["a"])


def test_lone_surrogates_are_embedded_as_replacement_characters(made_up):
    embedder = ModelEmbedder("M", made_up(), NO_WORDS)
    first, second = embedder.embed(["a\ud800", "a\ufffd"])
    assert (first == second).all()
