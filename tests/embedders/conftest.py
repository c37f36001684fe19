"""What the tests of embedders share: a made-up encoder, tiny ONNX models, and a cache folder of their own."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtrial.embedders import load
from ragtrial.embedders.cache import store
from ragtrial.embedders.model import ModelEmbedder


class MadeUpEncoder:
    """Gives every text a vector made of its bytes, and keeps what it was asked."""

    batch = 4
    window: int | None = 12

    def __init__(self, size: int = 6, change: Callable[[Sequence[str], np.ndarray], np.ndarray] | None = None) -> None:
        self.size = size
        self.calls: list[tuple[list[str], str]] = []
        self.change = change

    def identity(self) -> dict[str, Any]:
        return {"backend": "made-up", "size": self.size}

    def lengths(self, texts: Sequence[str]) -> list[int] | None:
        return None if self.window is None else [len(text) for text in texts]

    def encode(self, texts: Sequence[str], kind: str) -> np.ndarray:
        self.calls.append((list(texts), kind))
        digests = [hashlib.sha512(text.encode()).digest()[: self.size] for text in texts]
        vectors = np.array([[byte - 127.5 for byte in digest] for digest in digests], dtype=np.float32)
        return vectors if self.change is None else self.change(texts, vectors)

    def seen(self) -> list[str]:
        """Return the texts that were embedded, those of the self-test left out."""
        from ragtrial.embedders.selftest import _TEXTS

        return [text for texts, _ in self.calls for text in texts if text not in _TEXTS]


@pytest.fixture(scope="session")
def made_up() -> type[MadeUpEncoder]:
    return MadeUpEncoder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let no test see the user's cache, settings or keys."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("RAGTRIAL_CACHE", str(folder))
    for variable in ("RAGTRIAL_THREADS", "RAGTRIAL_BATCH", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    yield folder
    load._shared.cache_clear()
    store._opened.cache_clear()


@pytest.fixture(scope="session")
def minilm() -> ModelEmbedder:
    """Return the default model, without a cache."""
    pytest.importorskip("onnxruntime", reason="needs the extra local")
    from ragtrial.embedders.load import load_model
    from ragtrial.embedders.options import ModelOptions

    return load_model(ModelOptions())


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sat", "on", "the", "mat", "a", "."]


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make folders of models with a vocabulary of twelve words.

    ``plain`` looks each token's vector up; ``dynamic`` multiplies it after quantising the whole batch together;
    ``pooled`` gives one vector a text; ``past`` wants an input that no text has.
    """
    pytest.importorskip("onnx", reason="needs onnx, which writes the models")
    folder = tmp_path_factory.mktemp("models")
    table = np.random.default_rng(5).standard_normal((len(WORDS), 8)).astype(np.float32)
    table[WORDS.index("mat")] *= 40  # one loud word, so that the scale of a batch depends on it
    for name, graph in (("plain", _plain), ("dynamic", _dynamic), ("pooled", _pooled), ("past", _past)):
        (folder / name).mkdir()
        _write_model(folder / name / "model.onnx", *graph(table))
        _tokenizer().save(str(folder / name / "tokenizer.json"))
    np.save(folder / "table.npy", table)
    return folder


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # What a wheel may carry along, and must not decide anything: see `OnnxEncoder`.
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=3)
    return tokenizer


def _plain(table: np.ndarray) -> tuple[list[Any], dict[str, np.ndarray], list[tuple[str, int]]]:
    from onnx import helper

    return [helper.make_node("Gather", ["table", "input_ids"], ["tokens"])], {"table": table}, [("tokens", 3)]


def _dynamic(table: np.ndarray) -> tuple[list[Any], dict[str, np.ndarray], list[tuple[str, int]]]:
    from onnx import TensorProto, helper

    weights = np.random.default_rng(6).integers(-100, 100, (8, 8)).astype(np.int8)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
        helper.make_node("DynamicQuantizeLinear", ["embedded"], ["small", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["small", "weights", "zero"], ["product"]),
        helper.make_node("Cast", ["product"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["wide", "scale"], ["tokens"]),
    ]
    return nodes, {"table": table, "weights": weights}, [("tokens", 3)]


def _pooled(table: np.ndarray) -> tuple[list[Any], dict[str, np.ndarray], list[tuple[str, int]]]:
    from onnx import helper

    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["tokens"]),
        helper.make_node("ReduceMax", ["tokens"], ["sentence_embedding"], axes=[1], keepdims=0),
    ]
    return nodes, {"table": table}, [("sentence_embedding", 2)]


def _past(table: np.ndarray) -> tuple[list[Any], dict[str, np.ndarray], list[tuple[str, int]]]:
    from onnx import helper

    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["embedded"]),
        helper.make_node("Add", ["embedded", "past_key_values"], ["tokens"]),
    ]
    return nodes, {"table": table}, [("tokens", 3)]


def _write_model(
    path: Path, nodes: list[Any], constants: dict[str, np.ndarray], outputs: list[tuple[str, int]]
) -> None:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    wanted = {name for node in nodes for name in node.input} - {name for node in nodes for name in node.output}
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])]
    if "past_key_values" in wanted:
        inputs.append(helper.make_tensor_value_info("past_key_values", TensorProto.FLOAT, ["batch", "length", 8]))
    shapes = {3: ["batch", "length", 8], 2: ["batch", 8]}
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[rank]) for name, rank in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
