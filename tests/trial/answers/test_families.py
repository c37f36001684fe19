"""Which models are kin."""

import pytest

from ragtrial.trial.answers.families import families_of, kinship


@pytest.mark.parametrize(
    ("model", "families"),
    [
        ("meta-llama/llama-3.3-70b-instruct", {"Llama"}),
        ("Llama3.1:8b", {"Llama"}),
        ("hf.co/unsloth/Qwen2.5-7B-Instruct-GGUF:Q4_K_M", {"Qwen"}),
        ("qwen2.5:7b", {"Qwen"}),
        ("qwq-32b", {"Qwen"}),
        ("openai/gpt-oss-120b", {"GPT"}),
        ("gpt-4o-mini", {"GPT"}),
        ("o3-mini", {"GPT"}),
        ("o1", {"GPT"}),
        ("deepseek-r1-distill-qwen-14b", {"DeepSeek", "Qwen"}),
        ("anthropic/claude-sonnet-4", {"Claude"}),
        ("google/gemma-3-27b-it", {"Gemini and Gemma"}),
        ("gemini-2.0-flash", {"Gemini and Gemma"}),
        ("mistralai/Mixtral-8x7B", {"Mistral"}),
        ("phi-4", {"Phi"}),
        ("SmolLM2-135M-Instruct", {"SmolLM"}),
        ("My-Model:latest", {"my-model"}),
        ("company/dolphin-o3x", {"dolphin-o3x"}),
    ],
)
def test_families(model, families):
    assert families_of(model) == families


def test_kinship_names_every_relative():
    others = [("the reader", "qwen2.5:7b"), ("the arm 'E'", "gpt-oss-120b"), ("the arm 'F'", "llama3")]
    assert kinship("meta-llama/llama-3.3-70b-instruct", others) == [("the arm 'F'", "llama3")]
    assert kinship("deepseek-r1-distill-qwen-7b", others) == [("the reader", "qwen2.5:7b")]
    assert kinship("claude-sonnet", others) == []
    assert kinship("Local", [("the reader", "local:latest")]) == [("the reader", "local:latest")]
