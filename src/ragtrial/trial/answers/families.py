"""Which family a model is of: a judge must not be kin to the models whose work it judges (METHODS section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["families_of", "kinship"]

_FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "Claude": ("claude",),
    "Cohere": ("command", "aya"),
    "DeepSeek": ("deepseek",),
    "Falcon": ("falcon",),
    "Gemini and Gemma": ("gemini", "gemma", "palm"),
    "GLM": ("glm", "chatglm"),
    "GPT": ("gpt", "chatgpt", "davinci", "o1", "o3", "o4"),
    "Granite": ("granite",),
    "Grok": ("grok",),
    "Kimi": ("kimi", "moonshot"),
    "Llama": ("llama", "codellama", "vicuna", "alpaca"),
    "MiniMax": ("minimax",),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"),
    "Nemotron": ("nemotron",),
    "Nova": ("nova",),
    "OLMo": ("olmo", "tulu"),
    "Phi": ("phi",),
    "Qwen": ("qwen", "qwq", "tongyi"),
    "SmolLM": ("smollm",),
    "Yi": ("yi",),
}
_OF: Final = {word: family for family, words in _FAMILIES.items() for word in words}
_WORDS: Final = re.compile(r"(?<![a-z0-9])o[134](?![0-9a-z])|[a-z]+")


def families_of(model: str) -> frozenset[str]:
    """Return the families that the name of a model tells, such as {"Llama"} of ``meta-llama/llama-3.3-70b-instruct``.

    A distilled model may be of two. Where no known family is named, the name itself, without provider, tag and case,
    stands for one: two models of unknown families are then kin if they bear the same name.
    """
    name = model.lower()
    short = name.rsplit("/", 1)[-1].split(":")[0]
    words = _WORDS.findall(short)
    found = {_OF[word] for word in words if word in _OF}
    return frozenset(found or {short})


def kinship(judge: str, others: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return those of other models, each given after what it is for, that are of the judge's family."""
    own = families_of(judge)
    return [(purpose, model) for purpose, model in others if own & families_of(model)]
