"""The roles that models play in a study, and who plays them: the paper's own models, or others in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from ragtrial.errors import UsageError, did_you_mean

__all__ = ["KINDS", "Kind", "Role", "swapped"]

Kind: TypeAlias = Literal["model", "embedder", "reranker"]

KINDS: Final[tuple[Kind, ...]] = ("model", "embedder", "reranker")


@dataclass(frozen=True)
class Role:
    """A part that a model plays.

    Parameters
    ----------
    name : str
        As presets write it: ``{indexer}``.
    kind : {"model", "embedder", "reranker"}
        A language model, a model that gives vectors, or a cross-encoder.
    what : str
        What it does in the study, and which model the paper had.
    get : str
        How to get that model.
    options : mapping
        The parameters of the component that asks it, ``model`` first.
    swapped : bool
        Whether another model than the paper's plays it.
    """

    name: str
    kind: Kind
    what: str
    get: str
    options: Mapping[str, Any]
    swapped: bool = False

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self.options["model"])

    def spelled(self, *, named: bool = False) -> str:
        """Return the options as arguments of an expression; with ``named`` also the first one has its name."""
        first = f"model={self.model!r}" if named else repr(self.model)
        rest = (f"{key}={_literal(value)}" for key, value in self.options.items() if key != "model")
        return ", ".join((first, *rest))


def swapped(roles: Mapping[str, Role], given: Iterable[tuple[Kind, str]]) -> dict[str, Role]:
    """Return the roles with others in them.

    Parameters
    ----------
    roles : mapping of str to Role
    given : iterable of (kind, text)
        ``indexer=llama3.1:8b`` or ``indexer=my-model,url=http://localhost:8000/v1,window=8192``: a role, the name of a
        model, and parameters of the component. Nothing of the paper's model stays but the server of a language model,
        unless ``url`` names another.

    Raises
    ------
    UsageError
        There is no such role of that kind, or the text is of another form.
    """
    found = dict(roles)
    for kind, text in given:
        name, equals, rest = text.partition("=")
        known = [role.name for role in roles.values() if role.kind == kind]
        if name not in known:
            hint = did_you_mean(name, known) if known else f"This study has no {kind} to swap."
            raise UsageError(f"There is no {kind} called {name!r} in this study.", hint=hint)
        if not equals or not rest.strip():
            raise UsageError(
                f"{text!r} names no {kind} for {name!r}.",
                hint=f"Write --{kind} {name}=NAME, or {name}=NAME,url=ADDRESS.",
            )
        found[name] = _played_by(roles[name], rest)
    return found


def _played_by(role: Role, text: str) -> Role:
    model, *rest = (part.strip() for part in text.split(","))
    options: dict[str, Any] = {"model": model}
    if role.kind == "model" and "url" in role.options:
        options["url"] = role.options["url"]
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise UsageError(
                f"{part!r} is no parameter of {role.name!r}.", hint=f"Write --{role.kind} {role.name}=NAME,key=value."
            )
        options[key] = _value(value)
    same = options == dict(role.options)
    return replace(role, options=MappingProxyType(options), swapped=role.swapped or not same)


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text


def _literal(value: Any) -> str:
    return repr(tuple(value)) if isinstance(value, list) else repr(value)
