"""A folder with ``model.onnx`` and ``tokenizer.json``: where its files lie and how it wants to be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragtrial.embedders.conventions import Convention, Pooling
from ragtrial.embedders.files import read_settings
from ragtrial.errors import DataError, UsageError

__all__ = ["ModelFolder"]

# What nobody means as a window: libraries write 1e30 where they do not know one.
_NO_WINDOW: Final = 1_000_000
_POOLINGS: Final[Mapping[str, Pooling]] = {"cls": "cls", "mean": "mean", "lasttoken": "last"}
_DONE_HERE: Final = ("_Pooling", "_Normalize")
_FLAGS: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
}
"""How older versions of sentence-transformers wrote ``pooling_mode``."""


@dataclass(frozen=True)
class ModelFolder:
    """The files of a local ONNX model.

    Beside the two files that must be there, the settings that sentence-transformers writes are read where they are
    present: ``1_Pooling/config.json``, ``sentence_bert_config.json``, ``config_sentence_transformers.json`` and
    ``tokenizer_config.json``.
    """

    path: Path
    model: Path
    tokenizer: Path

    @classmethod
    def at(cls, path: str | Path) -> ModelFolder:
        """Find the files; a folder without one of them raises `DataError`, no folder at all `UsageError`."""
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise UsageError(
                f"There is no model folder {folder}.",
                hint="Name a folder with model.onnx and tokenizer.json, or 'minilm', the default model.",
            )
        model = next((file for file in (folder / "model.onnx", folder / "onnx/model.onnx") if file.is_file()), None)
        tokenizer = folder / "tokenizer.json"
        if model is None:
            raise DataError(f"The model folder {folder} has no model.onnx.")
        if not tokenizer.is_file():
            raise DataError(
                f"The model folder {folder} has no tokenizer.json.",
                hint="Without its own tokenizer a model gives meaningless vectors: copy the file that belongs to it.",
            )
        if more := sorted(part.name for part in folder.glob("[0-9]_*") if not part.name.endswith(_DONE_HERE)):
            raise UsageError(
                f"The model in {folder} goes on after its pooling ({', '.join(more)}); the backend 'onnx' does not.",
                hint="Use the backend 'sentence-transformers' for it.",
            )
        return cls(folder, model, tokenizer)

    def weights(self) -> list[Path]:
        """Return the files of weights: the graph and what stands outside of it (``model.onnx_data``)."""
        return sorted(file for file in self.model.parent.iterdir() if file.name.startswith("model.onnx"))

    def pooling(self, asked: Pooling | None, convention: Convention | None) -> Pooling:
        """Return how token vectors become one: as asked, as the folder says, as the known family does.

        Raises `UsageError` where nobody says: another pooling than the model was trained with gives wrong vectors.
        """
        found = asked or self._own_pooling() or (convention.pooling if convention else None)
        if found is None:
            raise UsageError(
                f"Nothing says how {self.path} makes one vector of its token vectors.",
                hint="Add pooling='mean', 'cls' or 'last', as its model card says.",
            )
        return found

    def window(self, asked: int | None, convention: Convention | None) -> int:
        """Return the most tokens of a text: as asked, as the folder says, as the known family does."""
        sentence = _whole(read_settings(self.path / "sentence_bert_config.json"), "max_seq_length")
        tokenizer = _whole(read_settings(self.path / "tokenizer_config.json"), "model_max_length")
        found = asked or sentence or (convention.window if convention else None) or tokenizer
        if found is None:
            raise UsageError(
                f"Nothing says how many tokens {self.path} takes.",
                hint="Add max_length=512, or what its model card says.",
            )
        return found

    def prompts(self) -> Mapping[str, str]:
        """Return the words that the folder itself wants before texts, by their names."""
        prompts = read_settings(self.path / "config_sentence_transformers.json").get("prompts")
        return {} if not isinstance(prompts, dict) else {name: text for name, text in prompts.items() if text}

    def _own_pooling(self) -> Pooling | None:
        settings = read_settings(self.path / "1_Pooling/config.json")
        mode = settings.get("pooling_mode") or [name for flag, name in _FLAGS.items() if settings.get(flag)]
        modes = [mode] if isinstance(mode, str) else list(mode)
        if not modes:
            return None
        if len(modes) > 1 or modes[0] not in _POOLINGS:
            raise UsageError(
                f"{self.path} was trained with the pooling {' + '.join(map(str, modes))}, which the backend 'onnx' "
                "does not know.",
                hint="Use the backend 'sentence-transformers' for it.",
            )
        return _POOLINGS[modes[0]]


def _whole(settings: Mapping[str, Any], key: str) -> int | None:
    value = settings.get(key)
    return int(value) if isinstance(value, (int, float)) and 0 < value < _NO_WINDOW else None
