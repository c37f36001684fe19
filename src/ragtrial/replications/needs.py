"""What a design lacks on this machine - data, models, servers, keys, libraries - and how to get it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlsplit

from ragtrial.embedders.load import load_model
from ragtrial.embedders.options import ModelOptions as EmbedderOptions
from ragtrial.errors import RagtrialError
from ragtrial.llm.options import ModelOptions
from ragtrial.replications.design import Design
from ragtrial.replications.place import Given
from ragtrial.replications.roles import Role
from ragtrial.retrievers.rerankers.load import load as load_reranker
from ragtrial.retrievers.rerankers.options import RerankerOptions
from ragtrial.servers.address import host_of, is_loopback
from ragtrial.servers.keys import key_in

__all__ = ["Missing", "lacks", "missing_of", "unreadable"]

_SECONDS: Final = 0.5
_LIBRARIES: Final = {"sentence-transformers": "sentence_transformers", "qwen3": "sentence_transformers"}


@dataclass(frozen=True)
class Missing:
    """One thing that is not there: what, why it is taken for missing, how to get it, and the parts that need it."""

    what: str
    why: str
    get: str
    parts: tuple[str, ...]
    data: bool = False


def missing_of(design: Design, given: Given) -> list[Missing]:
    """Return what a design lacks; nothing is sent, and of a local server only whether it listens is asked."""
    return [*_data(design, given), *_models(design), *_libraries(design)]


def _data(design: Design, given: Given) -> Iterator[Missing]:
    for name, parts in _by(design, lambda planned: [planned.part.data]).items():
        need = design.study.data[name]
        path = given.data.get(name)
        if path is None:
            get = need.get if "--data" in need.get else f"{need.get}; then --data {name}=PATH"
            yield Missing(f"data {name}", "no path is given", get, parts, data=True)
        elif not path.exists():
            yield Missing(f"data {name}", f"{path} is not there", need.get, parts, data=True)
        elif need.needs_questions and name not in given.questions and not (path / "questions.jsonl").is_file():
            yield Missing(f"questions {name}", "no file is given", need.get, parts, data=True)


def unreadable(design: Design, faults: Mapping[str, str]) -> list[Missing]:
    """Return the data sets that lie at their paths and cannot be read, by what their readers said."""
    uses = _by(design, lambda planned: [planned.part.data])
    return [
        Missing(f"data {name}", fault, design.study.data[name].get, uses[name], data=True)
        for name, fault in faults.items()
    ]


def _models(design: Design) -> Iterator[Missing]:
    for name, parts in _by(design, lambda planned: list(planned.roles)).items():
        role = design.roles[name]
        if fault := lacks(role):
            get = f"{role.get}, or swap it: --{role.kind} {name}=NAME"
            yield Missing(f"{role.kind} {name}: {role.model}", fault, get, parts)


def _libraries(design: Design) -> Iterator[Missing]:
    needed: list[tuple[str, str, str, tuple[str, ...]]] = []
    mixed = [planned.part.name for planned in design.parts if planned.filled.whole().get("mixed_model")]
    if mixed:
        needed.append(("the mixed model", "statsmodels", "stats", tuple(mixed)))
    located = [p.part.name for p in design.parts if design.study.data[p.part.data].protocol == "kmr"]
    if located:
        needed.append(("evidence located by likeness", "rapidfuzz", "fuzzy", tuple(located)))
    for what, module, extra, parts in needed:
        if find_spec(module) is None:
            yield Missing(what, f"{module} is not installed", f"pip install 'ragtrial[{extra}]'", parts)


def _by(design: Design, names: Any) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for planned in design.parts:
        for name in names(planned):
            found[name] = (*found.get(name, ()), planned.part.name)
    return found


def lacks(role: Role) -> str:
    """Return why a role cannot be played on this machine, "" if nothing is known against it.

    A model that a library downloads when it is first used counts as there.
    """
    try:
        return {"model": _language_model, "embedder": _embedder, "reranker": _reranker}[role.kind](role.options)
    except RagtrialError as error:
        return error.message
    except TypeError as error:
        return str(error)


def _language_model(given: Mapping[str, Any]) -> str:
    # A component has parameters of its own beside those of the model, such as max_tokens.
    known = {field.name for field in fields(ModelOptions)}
    options = ModelOptions(**{name: value for name, value in given.items() if name in known})
    return _library("openai", "openai") or _server(options.address, options.variable)


def _embedder(given: Mapping[str, Any]) -> str:
    options = EmbedderOptions(**given)
    if options.backend == "openai":
        url = options.url or "https://api.openai.com/v1"
        variable = options.key_variable or (None if options.url else "OPENAI_API_KEY")
        counting = "" if options.tokenizer is None else _library("tokenizers", "local")
        return counting or _library("openai", "openai") or _server(url, variable)
    if options.backend in _LIBRARIES:
        return _library(_LIBRARIES[options.backend], options.backend)
    if options.backend == "onnx":
        load_model(options).identity()
    return ""


def _reranker(given: Mapping[str, Any]) -> str:
    options = RerankerOptions(**given)
    if options.url is not None:
        return _library("openai", "openai") or _server(options.url, options.key_variable)
    if options.backend in _LIBRARIES:
        return _library(_LIBRARIES[options.backend], "sentence-transformers")
    load_reranker(options).identity()
    return ""


def _library(module: str, extra: str) -> str:
    return "" if find_spec(module) is not None else f"its library is not installed: pip install 'ragtrial[{extra}]'"


def _server(url: str, variable: str | None) -> str:
    if variable is not None and not key_in(variable):
        return f"the environment variable {variable} is not set"
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not is_loopback(host_of(url)):
        return ""
    try:
        with socket.create_connection((host, parts.port or 80), timeout=_SECONDS):
            return ""
    except OSError:
        return f"nothing answers at {url}"
