"""Cross-encoders of sentence-transformers: what is asked of the library, and a tiny real one."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ragtrial.errors import MissingExtraError
from ragtrial.retrievers.rerankers import cross_encoder
from ragtrial.retrievers.rerankers.cross_encoder import CrossEncoderScorer
from ragtrial.retrievers.rerankers.logits import score_of


class Library:
    """Stands for sentence_transformers and torch; keeps how it was called."""

    def __init__(self, logits: list) -> None:
        self.calls: list[dict] = []
        self.logits = logits
        self.nn = SimpleNamespace(Identity=lambda: "no activation")

    def CrossEncoder(self, folder: str, max_length: int | None) -> "Library":  # noqa: N802
        self.calls.append({"folder": folder, "max_length": max_length})
        return self

    def predict(self, pairs: list, **options: object) -> list:
        self.calls.append({"pairs": pairs} | options)
        return self.logits

    def set_num_threads(self, threads: int) -> None:
        self.calls.append({"threads": threads})


def test_pairs_go_to_the_library_and_logits_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    library = Library([1.5, -2.0])
    monkeypatch.setattr(cross_encoder, "require", lambda *names: library)
    scorer = CrossEncoderScorer(str(tmp_path), max_length=77, threads=2)
    assert scorer.score("q", ["a", "b"]).tolist() == [1.5, -2.0]
    assert library.calls == [
        {"threads": 2},
        {"folder": str(tmp_path), "max_length": 77},
        {
            "pairs": [("q", "a"), ("q", "b")],
            "batch_size": 2,
            "activation_fn": "no activation",
            "show_progress_bar": False,
            "convert_to_numpy": True,
        },
    ]


def test_two_logits_make_one_score():
    assert score_of(np.array([[1.0, 3.0], [2.0, 1.0]]), "It").tolist() == [2.0, -1.0]


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def missing(module: str, extra: str, purpose: str) -> object:
        raise MissingExtraError(f"{purpose} needs {module}.", extra=extra)

    monkeypatch.setattr(cross_encoder, "require", missing)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragtrial\[sentence-transformers\]'"):
        CrossEncoderScorer(str(tmp_path)).score("q", ["a"])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a BERT with random weights and one logit."""
    pytest.importorskip("sentence_transformers", reason="needs the extra sentence-transformers")
    import torch
    import transformers

    path = tmp_path_factory.mktemp("bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cat", "dog", "sat", "on", "mat"]
    (path / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(path / "vocab.txt")).save_pretrained(path)
    torch.manual_seed(1)
    settings = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, num_labels=1, initializer_range=0.5,
    )  # fmt: skip
    transformers.BertForSequenceClassification(settings).eval().save_pretrained(path)
    return path


def test_scores_are_the_logits_of_one_pair_at_a_time(tiny: Path):
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(tiny).float().eval()
    texts = ["dog", "cat sat on mat", "on", "mat mat mat dog"]
    expected = []
    for text in texts:
        with torch.inference_mode():
            expected.append(model(**tokenizer("cat sat", text, return_tensors="pt")).logits[0, 0].item())
    scorer = CrossEncoderScorer(str(tiny))
    assert scorer.score("cat sat", texts) == pytest.approx(expected, abs=1e-5)
    assert "model.safetensors" in scorer.identity()["files"]
