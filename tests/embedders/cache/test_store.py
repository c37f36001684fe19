"""The cache gives back what it was given, says what it holds, and refuses what is not its own."""

from datetime import date
from pathlib import Path

import lmdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtrial.embedders.cache import store
from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import VectorCache, open_cache
from ragtrial.embedders.cache.upkeep import prune
from ragtrial.errors import DataError, RecordError
from ragtrial.storage import database

MODEL, OTHER = {"model": "a"}, {"model": "b"}


def keys(texts: list[str], model: dict = MODEL) -> list[bytes]:
    return vector_keys(model, "document", "", texts)


def vectors_of(texts: list[str], size: int = 5) -> np.ndarray:
    return np.array([[hash_of(text) + place for place in range(size)] for text in texts], dtype=np.float32)


def hash_of(text: str) -> int:
    return sum(ord(sign) * 31**place for place, sign in enumerate(text)) % 10_007


@pytest.fixture
def cache(own_cache: Path) -> VectorCache:
    return open_cache(own_cache)


@settings(max_examples=30)
@given(
    stored=st.lists(st.text(max_size=4), max_size=12, unique=True),
    asked=st.lists(st.text(max_size=4), max_size=12, unique=True),
    fit=st.integers(0, 2),
)
def test_what_was_put_comes_back_bit_by_bit(tmp_path_factory, stored: list[str], asked: list[str], fit: int):
    cache = VectorCache(tmp_path_factory.mktemp("cache"))
    vectors = vectors_of(stored).reshape(len(stored), 5) * np.float32(0.1)
    cache.put(MODEL, keys(stored), vectors, [fit] * len(stored))
    found = cache.get(keys(asked), 5)
    assert found.there.tolist() == [text in stored for text in asked]
    for row, text in enumerate(asked):
        if text in stored:
            assert found.vectors[row].tobytes() == vectors[stored.index(text)].tobytes()
            assert found.fits[row] == fit
    cache.database.close()


def test_more_than_one_transaction_and_more_than_the_first_map(cache: VectorCache, monkeypatch: pytest.MonkeyPatch):
    texts = [str(number) for number in range(store._ROWS_A_TRANSACTION + 10)]
    wide = np.repeat(vectors_of(texts), 800, axis=1)  # 64 MiB and more
    cache.put(MODEL, keys(texts), wide, [1] * len(texts))
    found = cache.get(keys(texts), 4000)
    assert found.there.all()
    assert (found.vectors == wide).all()
    assert cache.database.file_bytes() > database._FIRST_MAP


def test_models_are_listed_with_what_they_take(cache: VectorCache, monkeypatch: pytest.MonkeyPatch):
    assert cache.models() == []
    monkeypatch.setattr(store, "_today", lambda: "2026-05-01")
    cache.put(MODEL, keys(["x", "y"]), vectors_of(["x", "y"]), [1, 2])
    monkeypatch.setattr(store, "_today", lambda: "2026-05-03")
    cache.put(OTHER, keys(["x"], OTHER), vectors_of(["x"], 7), [0])
    other, model = cache.models()
    assert (other.identity, other.dimension, other.vectors, other.bytes) == (OTHER, 7, 1, 32)
    assert (model.identity, model.dimension, model.vectors, model.bytes) == (MODEL, 5, 2, 48)
    assert (model.used, other.used) == (date(2026, 5, 1), date(2026, 5, 3))
    assert cache.dimension(MODEL) == 5
    assert cache.models()[0].used == cache.models()[1].used == date(2026, 5, 3)
    assert cache.dimension({"model": "c"}) is None


def test_pruning_removes_what_is_chosen_and_gives_the_space_back(cache: VectorCache):
    texts = [str(number) for number in range(9_000)]
    cache.put(MODEL, keys(texts), np.repeat(vectors_of(texts), 40, axis=1), [1] * len(texts))
    cache.put(OTHER, keys(["x"], OTHER), vectors_of(["x"]), [1])
    before = cache.database.file_bytes()
    pruned = prune(cache, lambda model: model.identity == MODEL)
    assert [model.vectors for model in pruned.models] == [9_000]
    assert pruned.shrunk
    assert (pruned.bytes_before, pruned.bytes_after) == (before, cache.database.file_bytes())
    assert pruned.bytes_after < 100_000 < 7_000_000 < pruned.bytes_before
    assert [model.identity for model in cache.models()] == [OTHER]
    assert not cache.get(keys(texts[:5]), 200).there.any()
    assert (cache.get(keys(["x"], OTHER), 5).vectors == vectors_of(["x"])).all()
    assert sorted(path.name for path in cache.database.folder.iterdir()) == ["data.mdb", "in-use", "lock.mdb"]


def test_a_cache_of_a_newer_version_is_refused(cache: VectorCache, own_cache: Path):
    cache.database.write(lambda txn: txn.put(b"about", b'{"version":2}'))
    cache.database.close()
    store._opened.cache_clear()
    with pytest.raises(RecordError, match=r"vectors has version 2, and this ragtrial knows versions up to 1\. Upgrade"):
        open_cache(own_cache)


@pytest.mark.parametrize("about", [b"[]", b"{}", b"\xff", b'{"version":"1"}'])
def test_a_version_that_is_none_is_refused(cache: VectorCache, own_cache: Path, about: bytes):
    cache.database.write(lambda txn: txn.put(b"about", about))
    cache.database.close()
    with pytest.raises(RecordError, match=r"has version|is damaged"):
        VectorCache(own_cache)


def test_a_file_that_is_no_cache_is_refused(own_cache: Path):
    (own_cache / "vectors").mkdir(parents=True)
    (own_cache / "vectors/data.mdb").write_bytes(b"something else" * 1000)
    with pytest.raises(RecordError, match=r"Cannot open the cache .*vectors: .* Remove the folder if it is damaged"):
        open_cache(own_cache)


def test_a_folder_that_cannot_be_made_is_refused(own_cache: Path):
    own_cache.parent.mkdir(exist_ok=True)
    own_cache.write_text("a file")
    with pytest.raises(DataError, match=r"Cannot make the cache .* Set RAGTRIAL_CACHE to a folder"):
        open_cache(own_cache)


def test_a_vector_of_another_size_is_refused(cache: VectorCache):
    cache.put(MODEL, keys(["x", "y"]), vectors_of(["x", "y"]), [1, 1])
    with pytest.raises(RecordError, match=r"is damaged: a vector has not the size of its model's"):
        cache.get(keys(["x", "y"]), 4)


def test_a_disk_error_is_a_sentence(cache: VectorCache):
    def fails(txn: object) -> None:
        raise lmdb.DiskError("mdb_put: No space left on device")

    with pytest.raises(DataError, match=r"Cannot write to the cache .*No space left on device.* Free some space"):
        cache.database.write(fails)
