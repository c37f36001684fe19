"""A model folder says where its files are and how it is used; what it does not say is asked for, never guessed."""

import json
from pathlib import Path

import pytest

from ragtrial.embedders.conventions import convention_of
from ragtrial.embedders.folder import ModelFolder
from ragtrial.embedders.load import load_model
from ragtrial.embedders.options import ModelOptions
from ragtrial.errors import DataError, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "some-model"
    path.mkdir()
    (path / "model.onnx").write_bytes(b"weights")
    (path / "tokenizer.json").write_text("{}")
    return path


def write(folder: Path, name: str, settings: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(settings))


def test_a_folder_without_its_files_is_refused(folder: Path):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(DataError, match=r"some-model has no tokenizer.json. Without its own tokenizer"):
        ModelFolder.at(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(DataError, match=r"some-model has no model.onnx"):
        ModelFolder.at(folder)
    with pytest.raises(UsageError, match=r"There is no model folder .*nowhere. Name a folder with model.onnx"):
        load_model(ModelOptions(str(folder / "nowhere")))


def test_weights_may_lie_in_a_folder_of_their_own_and_outside_of_the_graph(folder: Path):
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx/model.onnx")
    (folder / "onnx/model.onnx_data").write_bytes(b"more")
    assert [file.name for file in ModelFolder.at(folder).weights()] == ["model.onnx", "model.onnx_data"]


@pytest.mark.parametrize(
    ("settings", "pooling"),
    [
        ({"pooling_mode": "lasttoken"}, "last"),
        ({"pooling_mode": ["cls"]}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
    ],
)
def test_pooling_is_what_the_folder_says_in_either_form(folder: Path, settings: dict, pooling: str):
    write(folder, "1_Pooling/config.json", settings)
    found = ModelFolder.at(folder)
    assert found.pooling(None, convention_of("bge-m3")) == pooling
    assert found.pooling("cls", None) == "cls"


def test_pooling_is_what_the_family_says_or_refused(folder: Path):
    found = ModelFolder.at(folder)
    assert found.pooling(None, convention_of("bge-base-en-v1.5")) == "cls"
    with pytest.raises(UsageError, match=r"Nothing says how .*some-model makes one vector .* Add pooling='mean'"):
        found.pooling(None, None)


def test_a_pooling_that_this_backend_does_not_know_is_refused(folder: Path):
    write(folder, "1_Pooling/config.json", {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": True})
    with pytest.raises(UsageError, match=r"the pooling mean \+ max, which the backend 'onnx' does not know"):
        ModelFolder.at(folder).pooling(None, None)
    (folder / "2_Dense").mkdir()
    with pytest.raises(UsageError, match=r"goes on after its pooling \(2_Dense\)"):
        ModelFolder.at(folder)


def test_the_window_is_what_is_asked_then_the_folders_then_the_familys_then_the_tokenizers(folder: Path):
    found, minilm = ModelFolder.at(folder), convention_of("minilm")
    with pytest.raises(UsageError, match=r"Nothing says how many tokens .* Add max_length=512"):
        found.window(None, None)
    write(folder, "tokenizer_config.json", {"model_max_length": 1e30})
    with pytest.raises(UsageError, match=r"Nothing says how many tokens"):
        found.window(None, None)
    write(folder, "tokenizer_config.json", {"model_max_length": 514})
    assert found.window(None, None) == 514
    assert found.window(None, minilm) == 256
    write(folder, "sentence_bert_config.json", {"max_seq_length": 200})
    assert found.window(None, minilm) == 200
    assert found.window(77, minilm) == 77


def test_prompts_of_an_unknown_model_are_its_own(folder: Path):
    write(folder, "config_sentence_transformers.json", {"prompts": {"query": "q: ", "document": ""}})
    options = ModelOptions(str(folder), pooling="mean", max_length=8)
    assert load_model(options).prefixes == ("q: ", "")


def test_settings_that_cannot_be_read_are_refused(folder: Path):
    (folder / "sentence_bert_config.json").write_text("{")
    with pytest.raises(DataError, match=r"Cannot read the model's settings in .*sentence_bert_config.json"):
        ModelFolder.at(folder).window(None, None)
    (folder / "sentence_bert_config.json").write_text("[1]")
    with pytest.raises(DataError, match=r"holds no JSON object"):
        ModelFolder.at(folder).window(None, None)
