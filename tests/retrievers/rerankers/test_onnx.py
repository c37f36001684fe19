"""Tiny ONNX cross-encoders whose scores can be worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from ragtrial.errors import DataError
from ragtrial.retrievers.rerankers.model import Reranker
from ragtrial.retrievers.rerankers.onnx import OnnxScorer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sat", "on", "the", "mat"]
WEIGHTS = np.random.default_rng(5).normal(size=(len(WORDS), 3)).astype(np.float32)
"""What each word adds to each logit; a word of the text counts three times."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make models with 1, 2 and 3 logits, one of tokens only, and their tokenizer."""
    onnx = pytest.importorskip("onnx", reason="needs onnx to make a model")
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra local")
    path = tmp_path_factory.mktemp("cross-encoder")
    for n_logits in (1, 2, 3):
        onnx.save(_model(onnx, n_logits), str(path / f"{n_logits}.onnx"))
    onnx.save(_model(onnx, 1, per_token=True), str(path / "tokens.onnx"))
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path / "tokenizer.json"))
    return path


def _model(onnx: object, n_logits: int, *, per_token: bool = False) -> object:
    make, numpy_helper, kinds = onnx.helper, onnx.numpy_helper, onnx.TensorProto
    inputs = [
        make.make_tensor_value_info(name, kinds.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    constants = {
        "table": WEIGHTS[:, :n_logits].copy(),
        "two": np.float32(2),
        "one": np.float32(1),
        "last": np.array([2], dtype=np.int64),
        "middle": np.array([1], dtype=np.int64),
    }
    nodes = [
        make.make_node("Gather", ["table", "input_ids"], ["of_word"]),
        make.make_node("Cast", ["attention_mask"], ["mask"], to=kinds.FLOAT),
        make.make_node("Cast", ["token_type_ids"], ["type"], to=kinds.FLOAT),
        make.make_node("Mul", ["type", "two"], ["twice"]),
        make.make_node("Add", ["twice", "one"], ["times"]),
        make.make_node("Mul", ["times", "mask"], ["weight"]),
        make.make_node("Unsqueeze", ["weight", "last"], ["column"]),
        make.make_node("Mul", ["of_word", "column"], ["hidden" if not per_token else "logits"]),
    ]
    shape = ["batch", "length", n_logits] if per_token else ["batch", n_logits]
    if not per_token:
        nodes.append(make.make_node("ReduceSum", ["hidden", "middle"], ["logits"], keepdims=0))
    graph = make.make_graph(
        nodes,
        "tiny",
        inputs,
        [make.make_tensor_value_info("logits", kinds.FLOAT, shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    return make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=9)


def scorer(folder: Path, name: str = "1", window: int = 64) -> OnnxScorer:
    return OnnxScorer([folder / f"{name}.onnx"], folder / "tokenizer.json", window=window)


def by_hand(query: str, text: str, window: int = 64) -> np.ndarray:
    first, second = query.split(), text.split()
    while len(first) + len(second) + 3 > window:
        longer = first if len(first) > len(second) else second
        longer.pop()
    ids = {word: number for number, word in enumerate(WORDS)}
    read = [(word, 1) for word in ["[CLS]", *first, "[SEP]"]] + [(word, 3) for word in [*second, "[SEP]"]]
    return sum(times * WEIGHTS[ids.get(word, 1)].astype(np.float64) for word, times in read)


QUERY = "the cat sat"
TEXTS = ["on the mat", "dog", "", "the dog sat on the mat and the cat sat on the dog", "mat"]


def test_one_logit_is_the_score(folder: Path):
    assert scorer(folder).score(QUERY, TEXTS) == pytest.approx([by_hand(QUERY, text)[0] for text in TEXTS], abs=1e-5)


def test_of_two_logits_the_score_is_the_difference(folder: Path):
    expected = [by_hand(QUERY, text)[1] - by_hand(QUERY, text)[0] for text in TEXTS]
    assert scorer(folder, "2").score(QUERY, TEXTS) == pytest.approx(expected, abs=1e-5)


def test_question_and_text_are_not_the_same(folder: Path):
    assert scorer(folder).score("cat", ["dog"])[0] != pytest.approx(scorer(folder).score("dog", ["cat"])[0])


@pytest.mark.parametrize("query", [QUERY, "the cat sat on the mat the cat sat on the mat"])
def test_of_a_pair_beyond_the_window_the_longer_part_is_cut(folder: Path, query: str):
    expected = [by_hand(query, text, 11)[0] for text in TEXTS]
    assert scorer(folder, window=11).score(query, TEXTS) == pytest.approx(expected, abs=1e-5)


def test_a_score_does_not_depend_on_the_batch(folder: Path):
    tested = Reranker("Tiny", scorer(folder)).tested
    assert not tested.alone
    assert tested.batched < 1e-5


def test_what_is_no_cross_encoder_is_refused(folder: Path, tmp_path: Path):
    with pytest.raises(DataError, match="gives 3 numbers for a question and a text"):
        scorer(folder, "3").score(QUERY, TEXTS)
    with pytest.raises(DataError, match="gives no score: its outputs are logits"):
        scorer(folder, "tokens").score(QUERY, TEXTS)
    (tmp_path / "bad.onnx").write_bytes(b"no model")
    with pytest.raises(DataError, match="Cannot load the model"):
        OnnxScorer([tmp_path / "bad.onnx"], folder / "tokenizer.json", window=9).score(QUERY, TEXTS)
    with pytest.raises(DataError, match="Cannot read the tokenizer"):
        OnnxScorer([folder / "1.onnx"], tmp_path / "bad.onnx", window=9).score(QUERY, TEXTS)


def test_its_identity_is_its_content(folder: Path):
    identity = scorer(folder).identity()
    assert identity["backend"] == "onnx"
    assert set(identity["files"]) == {"1.onnx", "tokenizer.json"}
    assert identity["max_length"] == 64
    assert str(folder) not in str(identity)
