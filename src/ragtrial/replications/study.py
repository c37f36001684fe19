"""A study as its preset's folder holds it: parts, roles, data, reductions.

``study.toml`` names the parts; each part is a trial file with places such as ``{indexer}`` for who plays a role, and
with the amendments that its paper made, in their order. ``published.toml`` holds what the paper reports.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from ragtrial.datasets.registry import protocol_names
from ragtrial.errors import SpecError, UsageError, did_you_mean
from ragtrial.replications.roles import KINDS, Role

__all__ = ["DataNeed", "Part", "Reduction", "Sample", "Study", "listed", "study_names"]

_FILE: Final = "study.toml"
_PUBLISHED: Final = "published.toml"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Sample(_Strict):
    """How documents are chosen (`ragtrial.replications.select`).

    - ``rule``: "all"; "list": those of the file ``papers``; "mdk": eligible papers without those of the file
      ``without``. Files lie among the presets.
    - ``size``, ``seed``: of the draw; ``then_size``, ``then_seed``: of a second draw from what the first gave.
    """

    rule: Literal["all", "list", "mdk"] = "all"
    papers: str = ""
    without: str = ""
    size: int | None = None
    seed: int = 0
    then_size: int | None = None
    then_seed: int = 0


class DataNeed(_Strict):
    """A data set that parts read: the reader's options, what it is, and how to get it.

    ``selection`` says which questions the paper asked where neither the preset nor the data set knows their ids: the
    reader asks all questions unless the user gives them.
    """

    reader: str
    what: str
    get: str
    protocol: str | None = None
    dialect: Literal["commonmark", "study"] | None = None
    needs_questions: bool = False
    selection: str = ""


class Part(_Strict):
    """One trial of a study; ``main`` parts are run unless others are named."""

    name: str
    what: str
    trial: str
    data: str
    sample: Sample = Sample()
    main: bool = True


class Reduction(_Strict):
    """What is left out when the money does not reach, in the order of the list: arms of a part, or all of it."""

    part: str
    why: str
    arms: list[str] = []


class _Cast(_Strict):
    what: str
    get: str
    options: dict[str, Any]


class _File(_Strict):
    title: str
    source: str
    parts: list[Part]
    data: dict[str, DataNeed]
    model: dict[str, _Cast] = {}
    embedder: dict[str, _Cast] = {}
    reranker: dict[str, _Cast] = {}
    reductions: list[Reduction] = []
    cap: float | None = None


@dataclass(frozen=True)
class Study:
    """A preset; open one with `Study.open`.

    ``templates`` holds the trial file of each part as it was read, ``published`` what the paper reports, ``cap`` the
    dollars that the paper allowed itself (None where it names none; nothing here stops at it), and ``sha256`` is over
    all files of the preset.
    """

    name: str
    title: str
    source: str
    parts: tuple[Part, ...]
    data: Mapping[str, DataNeed]
    roles: Mapping[str, Role]
    reductions: tuple[Reduction, ...]
    cap: float | None
    templates: Mapping[str, Mapping[str, Any]]
    published: Mapping[str, Any]
    sha256: str

    @classmethod
    def open(cls, name: str) -> Study:
        """Read a preset by its name.

        Raises
        ------
        UsageError
            There is no such preset.
        SpecError
            Its data names a reader or a protocol that does not exist.
        """
        if name not in study_names():
            raise UsageError(f"There is no preset {name!r}.", hint=did_you_mean(name, study_names()))
        folder = _presets() / name
        texts = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.name.endswith(".toml")}
        read = {file: tomllib.loads(text.decode()) for file, text in texts.items()}
        head = _File.model_validate(read[_FILE])
        for data, need in head.data.items():
            _check_reader(data, need)
        digest = sha256()
        for file in sorted(texts):
            digest.update(f"{file}\0{len(texts[file])}\0".encode() + texts[file])
        roles = {
            role: Role(role, kind, cast.what, cast.get, MappingProxyType(cast.options))
            for kind in KINDS
            for role, cast in getattr(head, kind).items()
        }
        return cls(
            name=name,
            title=head.title,
            source=head.source,
            parts=tuple(head.parts),
            data=MappingProxyType(head.data),
            roles=MappingProxyType(roles),
            reductions=tuple(head.reductions),
            cap=head.cap,
            templates=MappingProxyType({part.name: read[part.trial] for part in head.parts}),
            published=MappingProxyType(read.get(_PUBLISHED, {})),
            sha256=digest.hexdigest(),
        )

    def part(self, name: str) -> Part:
        """Return a part by its name."""
        return next(part for part in self.parts if part.name == name)


def _check_reader(data: str, need: DataNeed) -> None:
    known = protocol_names(need.reader)
    if need.protocol is not None and need.protocol not in known:
        raise SpecError(
            f"data.{data}: the reader {need.reader!r} has no protocol {need.protocol!r}.",
            hint=did_you_mean(need.protocol, known),
        )


def listed(file: str) -> list[str]:
    """Return the ids in a file among the presets, one on each line."""
    text: str = (_presets() / file).read_text(encoding="utf-8")
    return text.split()


def study_names() -> list[str]:
    """Return the names of all presets, sorted."""
    return sorted(entry.name for entry in _presets().iterdir() if entry.is_dir() and (entry / _FILE).is_file())


def _presets() -> Any:  # importlib's Traversable is no stable type over Python versions
    return files("ragtrial") / "presets"
