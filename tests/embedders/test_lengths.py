"""Lengths of many texts: those of each alone, whatever is held at a time."""

import pytest

from ragtrial.embedders.lengths import token_counts

TEXTS = [" ".join(["pump"] * (number % 7)) for number in range(2_345)]


@pytest.fixture
def tokenizer():
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra local")
    vocabulary = {"[UNK]": 0, "pump": 1}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


def test_lengths_are_those_of_each_text_alone(tokenizer):
    assert token_counts(tokenizer, TEXTS) == [number % 7 for number in range(2_345)]
    assert token_counts(tokenizer, []) == []


def test_what_the_tokenizer_adds_may_be_left_out(tokenizer):
    single = pytest.importorskip("tokenizers").processors.TemplateProcessing(
        single="$A [UNK]", special_tokens=[("[UNK]", 0)]
    )
    tokenizer.post_processor = single
    assert token_counts(tokenizer, ["pump pump", ""]) == [3, 1]
    assert token_counts(tokenizer, ["pump pump", ""], added=False) == [2, 0]


class Counting:
    """A tokenizer that notes how many texts it gets at a time."""

    def __init__(self):
        self.sizes = []

    def encode_batch(self, texts, add_special_tokens):
        self.sizes.append(len(texts))
        return texts


def test_texts_come_in_parts():
    counting = Counting()
    assert token_counts(counting, TEXTS) == [len(text) for text in TEXTS]
    assert sum(counting.sizes) == len(TEXTS)
    assert max(counting.sizes) <= 1_000
