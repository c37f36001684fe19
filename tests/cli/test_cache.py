"""``ragtrial cache``: what is kept, and making room."""

import json

import numpy as np
import pytest

pytest.importorskip("lmdb", reason="needs the extra local")

from ragtrial.embedders.cache.keys import vector_keys
from ragtrial.embedders.cache.store import open_cache

IDENTITIES = [{"backend": "onnx", "files": {"model.onnx": "ab" * 32}}, {"backend": "openai", "model": "text-embed"}]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "vectors of mine"
    monkeypatch.setenv("RAGTRIAL_CACHE", str(folder))
    cache = open_cache(folder)
    for number, identity in enumerate(IDENTITIES):
        keys = vector_keys(identity, "document", "", [f"text {row}" for row in range(3 + number)])
        cache.put(identity, keys, np.ones((len(keys), 4), np.float32), [0] * len(keys))
    return cache


def listed(call):
    return json.loads(call("cache", "--json").out)["models"]


def test_models_are_listed_with_their_size(cache, call):
    assert sorted(row["vectors"] for row in listed(call)) == [3, 4]
    out = call("cache").out
    assert "2 models" in out.splitlines()[0]
    assert "onnx sha256 abababababab" in out
    assert "openai text-embed" in out


def test_one_model_is_removed_by_the_start_of_its_id(cache, call):
    first, second = listed(call)
    done = call("cache", "--prune", first["id"][:8])
    assert done.code == 0
    assert "Removed 1 of 2 models" in done.err
    assert [row["id"] for row in listed(call)] == [second["id"]]


def test_what_was_used_lately_stays_and_all_goes_on_demand(cache, call):
    assert "Removed 0 of 2 models" in call("cache", "--unused", "1").err
    assert "Removed 2 of 2 models" in call("cache", "--all").err
    assert listed(call) == []


def test_what_is_not_there_is_refused(cache, call, monkeypatch):
    done = call("cache", "--prune", "zz")
    assert (done.code, done.out) == (2, "")
    assert "no model whose id starts with 'zz'" in done.err
    assert len(listed(call)) == 2
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    assert "RAGTRIAL_CACHE is 'off'" in call("cache").err
