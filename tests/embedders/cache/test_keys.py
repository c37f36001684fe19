"""A key is the sha256 of canonical JSON of everything that a vector depends on: different things never share one."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.embedders.cache.keys import ID_BYTES, model_id, vector_keys
from ragtrial.storage.canonical import canonical_json

IDENTITY = {"backend": "onnx", "files": {"model.onnx": "ab", "é": "cd"}, "max_length": 256, "runtime": {"x": "1.0"}}
ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too


def plain_key(identity: dict, kind: str, prefix: str, text: str) -> bytes:
    whole = {"identity": identity, "kind": kind, "prefix": prefix, "text": text}
    as_json = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(as_json.encode("utf-8", "surrogatepass")).digest()
    as_json = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(as_json.encode()).digest()[:16] + digest


@given(st.lists(ANY_TEXT, max_size=4), st.sampled_from(["query", "document"]), ANY_TEXT)
def test_keys_are_the_sha256_of_canonical_json(texts: list[str], kind: str, prefix: str):
    assert vector_keys(IDENTITY, kind, prefix, texts) == [plain_key(IDENTITY, kind, prefix, text) for text in texts]


def test_the_order_of_parameters_makes_no_difference_and_their_values_do():
    turned = dict(reversed(IDENTITY.items()))
    assert vector_keys(turned, "query", "", ["a"]) == vector_keys(IDENTITY, "query", "", ["a"])
    different = [
        (IDENTITY, "query", "", "a"),
        (IDENTITY, "document", "", "a"),
        (IDENTITY, "query", "a", ""),
        (IDENTITY, "query", "", "A"),
        (IDENTITY, "query", "", 'a","x":"'),
        (IDENTITY | {"max_length": 257}, "query", "", "a"),
        (IDENTITY | {"files": {"model.onnx": "ac", "é": "cd"}}, "query", "", "a"),
        (IDENTITY | {"runtime": {"x": "1.1"}}, "query", "", "a"),
    ]
    keys = [vector_keys(identity, kind, prefix, [text])[0] for identity, kind, prefix, text in different]
    assert len(set(keys)) == len(different)
    assert len({key[:ID_BYTES] for key in keys}) == 4
    assert keys[0][:ID_BYTES] == model_id(IDENTITY)


def test_what_json_does_not_know_is_refused():
    for value in (float("nan"), {1, 2}, object()):
        with pytest.raises((ValueError, TypeError)):
            canonical_json({"x": value})
