"""Qwen3-Reranker's prompt alone, and its scores on a tiny model of the same kind."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ragtrial.errors import DataError, UsageError
from ragtrial.retrievers.rerankers.qwen3 import Qwen3Scorer, prompt_of

CARD = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
    'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
    "<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n"
    "<Query>: What is the capital of China?\n<Document>: The capital of China is Beijing.<|im_end|>\n"
    "<|im_start|>assistant\n<think>\n\n</think>\n\n"
)


def test_the_prompt_is_the_model_cards():
    assert "".join(prompt_of("What is the capital of China?", "The capital of China is Beijing.")) == CARD


def test_the_user_says_another_task():
    assert prompt_of("q", "{text} <x>", "Find code").body == "<Instruct>: Find code\n<Query>: q\n<Document>: {text} <x>"


class Letters:
    """A tokenizer with one token a character."""

    def __call__(self, text: str, **options: object) -> dict[str, list[int]]:
        assert options["add_special_tokens"] is False
        return {"input_ids": [ord(letter) for letter in text]}

    def get_vocab(self) -> dict[str, int]:
        return {"yes": 1}


def with_letters(window: int | None = None) -> Qwen3Scorer:
    scorer = Qwen3Scorer("m", max_length=window)
    scorer.__dict__["_tokenizer"] = Letters()
    return scorer


def test_only_question_and_text_are_cut():
    prompt = prompt_of("q", "x" * 100)
    before, body, after = prompt
    window = len(before) + len(body) + len(after) - 60
    text = "".join(map(chr, with_letters(window)._ids(prompt)))
    assert text == before + body[:-60] + after
    assert "".join(map(chr, with_letters()._ids(prompt))) == before + body + after


def test_a_window_without_room_is_refused():
    with pytest.raises(UsageError, match=r"needs \d+ tokens for its instructions alone; max_length is 20"):
        with_letters(20)._ids(prompt_of("q", "x"))


def test_a_vocabulary_without_yes_and_no_is_refused():
    with pytest.raises(DataError, match="has no tokens 'yes' and 'no'"):
        _ = with_letters()._answers


def test_the_task_stands_in_the_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr("ragtrial.retrievers.rerankers.qwen3.version_of", lambda *names: "1")
    no_gpu = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    monkeypatch.setattr("ragtrial.retrievers.rerankers.qwen3.require", lambda *names: no_gpu)
    plain, other = (Qwen3Scorer(str(tmp_path), task=task).identity() for task in (None, "Find code"))
    assert plain != other
    assert "<Instruct>: Find code" in other["prompt"][1]
    assert list(plain["files"]) == ["config.json"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Qwen3 model with random weights and a vocabulary of bytes."""
    torch = pytest.importorskip("torch", reason="needs the extra sentence-transformers")
    transformers = pytest.importorskip("transformers", reason="needs the extra sentence-transformers")
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra local")
    path = tmp_path_factory.mktemp("qwen3")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*letters, "yes", "no"])}
    inner = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    transformers.PreTrainedTokenizerFast(tokenizer_object=inner).save_pretrained(path)
    torch.manual_seed(0)
    settings = transformers.Qwen3Config(
        vocab_size=len(vocabulary), hidden_size=16, intermediate_size=16, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=8, initializer_range=0.5,
    )  # fmt: skip
    transformers.Qwen3ForCausalLM(settings).save_pretrained(path)
    return path


def test_scores_are_those_of_one_prompt_at_a_time(tiny: Path):
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny).float().eval()
    vocabulary = tokenizer.get_vocab()
    texts = ["short", "a text that is much longer than the other one", ""]
    expected = []
    for text in texts:
        ids = tokenizer("".join(prompt_of("what?", text)), add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            last = model(input_ids=torch.tensor([ids])).logits[0, -1]
        chance = torch.nn.functional.softmax(last[[vocabulary["no"], vocabulary["yes"]]], dim=0)[1].item()
        expected.append(np.log(chance / (1 - chance)))
    scores = Qwen3Scorer(str(tiny)).score("what?", texts)
    assert scores == pytest.approx(expected, abs=1e-4)
    assert len(set(np.round(scores, 3))) == 3
