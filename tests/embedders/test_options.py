"""Options that do not belong together, and settings that are none, are refused in a sentence."""

from pathlib import Path

import pytest

from ragtrial.embedders.load import load, load_model
from ragtrial.embedders.options import ModelOptions
from ragtrial.embedders.settings import RunSettings
from ragtrial.errors import MissingExtraError, SpecError, UsageError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "http://x"}, "The backend 'onnx' takes no url. Leave url out, or use the backend 'openai'."),
        ({"backend": "fastembed", "max_length": 9}, "use the backend 'onnx' or 'sentence-transformers' or 'openai'"),
        ({"backend": "openai", "pooling": "cls"}, "The backend 'openai' takes no pooling"),
        ({"dimensions": 9}, "takes no dimensions"),
        ({"max_length": 9, "tokenizer": "x"}, "The backend 'onnx' takes no tokenizer"),
        ({"backend": "openai", "tokenizer": "x"}, "The tokenizer 'x' has nothing to count. Say with max_length=3000"),
        ({"backend": "openai", "max_length": 7}, "max_length=7 leaves too little of a text. It must be 8 or more"),
        ({"backend": "openai", "max_length": -1}, "max_length=-1 leaves too little of a text"),
    ],
)
def test_an_option_that_the_backend_does_not_take_is_refused(options: dict, message: str):
    with pytest.raises(SpecError, match=message):
        ModelOptions(**options)


def test_settings_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("RAGTRIAL_THREADS", " 3 ")
    monkeypatch.setenv("RAGTRIAL_CACHE", str(tmp_path))
    assert RunSettings.from_environment() == RunSettings(3, None, tmp_path)
    monkeypatch.setenv("RAGTRIAL_CACHE", "OFF")
    assert RunSettings.from_environment().cache is None
    monkeypatch.setenv("RAGTRIAL_CACHE", "")
    assert RunSettings.from_environment().cache.name == "ragtrial"


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5"])
def test_a_number_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str):
    monkeypatch.setenv("RAGTRIAL_BATCH", text)
    with pytest.raises(UsageError, match=f"RAGTRIAL_BATCH must be a whole number from 1, not '{text}'"):
        RunSettings.from_environment()


def test_one_embedder_serves_all_who_ask_for_the_same(tiny_models: Path, monkeypatch: pytest.MonkeyPatch):
    options = ModelOptions(str(tiny_models / "plain"), pooling="mean", max_length=9)
    first = load(options)
    assert load(ModelOptions(str(tiny_models / "plain"), pooling="mean", max_length=9)) is first
    monkeypatch.setenv("RAGTRIAL_CACHE", "off")
    uncached = load(options)
    assert (uncached.embed(["cat"]) == first.embed(["cat"])).all()
    assert not hasattr(uncached, "cache")
    assert first.identity() == uncached.identity()


@pytest.mark.parametrize(
    ("options", "extra"),
    [
        (ModelOptions("m", backend="fastembed"), "fastembed"),
        (ModelOptions("m", backend="sentence-transformers"), "sentence-transformers"),
    ],
)
def test_a_library_that_is_missing_is_named_with_its_extra(options: ModelOptions, extra: str, monkeypatch):
    for library in ("fastembed", "sentence_transformers", "huggingface_hub"):
        monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'ragtrial\[{extra}\]'"):
        load_model(options).identity()
