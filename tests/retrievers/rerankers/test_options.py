"""What can be said of a reranker, and how it is loaded."""

from pathlib import Path

import pytest

from ragtrial.embedders.cache import store
from ragtrial.errors import DataError, SpecError, UsageError
from ragtrial.retrievers.rerankers import load
from ragtrial.retrievers.rerankers.options import RerankerOptions

SERVER = "http://localhost:8000/v1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "onnx", "task": "t"}, "'onnx' takes no task"),
        ({"backend": "cohere", "url": SERVER, "max_length": 9}, "'cohere' takes no max_length"),
        ({"backend": "qwen3", "key_variable": "K"}, "'qwen3' takes no key_variable"),
        ({"backend": "tei"}, "'tei' needs the url of its server"),
        ({"model": "Qwen/Qwen3-Reranker-0.6B"}, "is a chat model and no cross-encoder"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict, message: str):
    with pytest.raises(SpecError, match=message):
        RerankerOptions(**({"model": "m"} | options))


def test_a_qwen3_reranker_that_was_made_a_cross_encoder_is_one():
    assert RerankerOptions("someone/Qwen3-Reranker-0.6B-seq-cls").backend == "sentence-transformers"


def test_one_process_has_one_reranker_for_the_same_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path))
    options = RerankerOptions("m", backend="tei", url=SERVER)
    try:
        assert load.load(options) is load.load(RerankerOptions("m", backend="tei", url=SERVER))
        assert load.load(options) is not load.load(RerankerOptions("m", backend="cohere", url=SERVER))
        assert (tmp_path / "vectors").is_dir()
        monkeypatch.setenv("RAGTRIAL_CACHE", "off")
        assert load.load(options).identity() == {
            "role": "reranker",
            "backend": "rerank-endpoint",
            "url": SERVER,
            "form": "texts",
            "model": "m",
        }
    finally:
        load._shared.cache_clear()
        store._opened.cache_clear()


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    with pytest.raises(UsageError, match="There is no model folder"):
        load.load(RerankerOptions(str(tmp_path / "none"), backend="onnx"))
    with pytest.raises(DataError, match=r"has no model\.onnx"):
        load.load(RerankerOptions(str(tmp_path), backend="onnx"))
