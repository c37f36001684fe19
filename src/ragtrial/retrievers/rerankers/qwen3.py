"""The backend ``qwen3``: Qwen3-Reranker, a chat model that is asked whether a document answers, yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ragtrial.embedders.base import Identity
from ragtrial.embedders.conventions import TASK
from ragtrial.embedders.files import model_files, sha256_of_files
from ragtrial.embedders.sentence_transformers import SentenceTransformersEncoder
from ragtrial.errors import DataError, UsageError
from ragtrial.require import require, version_of
from ragtrial.retrievers.rerankers.base import RawScores

__all__ = ["Prompt", "Qwen3Scorer", "prompt_of"]

_EXTRA: Final = "sentence-transformers"
_LIBRARIES: Final = ("torch", "transformers")
_WINDOW: Final = 8192
_BEFORE: Final = (
    "<|im_start|>system\n"
    "Judge whether the Document meets the requirements based on the Query and the Instruct provided. "
    'Note that the answer can only be "yes" or "no".<|im_end|>\n'
    "<|im_start|>user\n"
)
_AFTER: Final = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"


class Prompt(NamedTuple):
    """What the model reads, in three parts; only ``body`` may be cut."""

    before: str
    body: str
    after: str


def prompt_of(query: str, text: str, task: str | None = None) -> Prompt:
    """Return the prompt of the model's card (Zhang et al. 2025, Qwen3 Embedding, section 2).

    The system message asks for yes or no; the user's message holds task, question and document; the answer begins after
    an empty thought. ``task``: None takes the model card's.
    """
    return Prompt(
        _BEFORE, f"<Instruct>: {TASK if task is None else task}\n<Query>: {query}\n<Document>: {text}", _AFTER
    )


class Qwen3Scorer:
    """A `ragtrial.retrievers.rerankers.base.Scorer` on Qwen3-Reranker, computed in float32.

    The score is the logit of "yes" less that of "no": the card's probability is its logistic function.
    """

    batch = 8

    def __init__(
        self, model: str, *, task: str | None = None, max_length: int | None = None, threads: int | None = None
    ) -> None:
        """``max_length``: None is the card's 8,192 tokens; ``threads``: None leaves it to torch."""
        self._model = model
        self._task = TASK if task is None else task
        self._window = max_length or _WINDOW
        self._threads = threads
        self._name = f"The reranker {model!r}"

    def identity(self) -> Identity:
        """Return the sha256 of the model's files, the kind of device, and how they are used."""
        return {
            "backend": "qwen3",
            "files": sha256_of_files(model_files(self._folder), self._folder),
            "prompt": list(prompt_of("{query}", "{text}", self._task)),
            "max_length": self._window,
            "device": self._device,
            "dtype": "float32",
            "runtime": {library: version_of(library, _EXTRA, self._name) for library in _LIBRARIES},
        }

    def score(self, query: str, texts: Sequence[str]) -> RawScores:
        """Return the scores of one batch."""
        torch = self._torch
        rows = [self._ids(prompt_of(query, text, self._task)) for text in texts]
        length = max(map(len, rows))
        # The answer follows the last token, so that shorter prompts are filled up at their beginning.
        ids = torch.tensor([[0] * (length - len(row)) + row for row in rows], device=self._device)
        mask = torch.tensor([[0] * (length - len(row)) + [1] * len(row) for row in rows], device=self._device)
        with torch.inference_mode():
            logits = self._loaded(input_ids=ids, attention_mask=mask, logits_to_keep=1).logits[:, -1, :]
        yes, no = self._answers
        return np.asarray((logits[:, yes] - logits[:, no]).cpu().numpy())

    def _ids(self, prompt: Prompt) -> list[int]:
        before, body, after = (
            list(self._tokenizer(part, add_special_tokens=False, verbose=False)["input_ids"]) for part in prompt
        )
        room = self._window - len(before) - len(after)
        if room < 1:
            raise UsageError(
                f"{self._name} needs {len(before) + len(after)} tokens for its instructions alone; max_length is "
                f"{self._window}."
            )
        return before + body[:room] + after

    @cached_property
    def _answers(self) -> tuple[int, int]:
        vocabulary = self._tokenizer.get_vocab()
        if "yes" not in vocabulary or "no" not in vocabulary:
            raise DataError(f"{self._name} has no tokens 'yes' and 'no'.", hint="Is it a Qwen3-Reranker?")
        return vocabulary["yes"], vocabulary["no"]

    @property
    def _torch(self) -> Any:
        return require("torch", _EXTRA, self._name)

    @cached_property
    def _device(self) -> str:
        return "cuda" if self._torch.cuda.is_available() else "cpu"

    @cached_property
    def _folder(self) -> Path:
        return SentenceTransformersEncoder(self._model).folder

    @cached_property
    def _tokenizer(self) -> Any:
        return self._from("AutoTokenizer")

    @cached_property
    def _loaded(self) -> Any:  # the library is no part of the type check
        if self._threads is not None:
            self._torch.set_num_threads(self._threads)
        # Which type of numbers is loaded by default differs between versions of the library.
        return self._from("AutoModelForCausalLM").float().to(self._device).eval()

    def _from(self, kind: str) -> Any:
        library = require("transformers", _EXTRA, self._name)
        try:
            return getattr(library, kind).from_pretrained(str(self._folder))
        except Exception as error:
            raise DataError(f"Cannot load the reranker {self._folder}: {error}.") from error
