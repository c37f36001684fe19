"""A part's trial file with its places filled: pieces of expressions, and who plays which role."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ragtrial.errors import SpecError
from ragtrial.replications.roles import Role

__all__ = ["Amendment", "Filled", "fill", "roles_in", "stages_of"]

_PLACE: Final = re.compile(r"\{(?P<named>model=)?(?P<name>[A-Za-z0-9_-]+)\}")
_PIECES: Final = "pieces"
_AMENDMENTS: Final = "amendments"


@dataclass(frozen=True)
class Amendment:
    """What a paper added to its plan: why, what had been seen by then, and the keys of the trial that were new."""

    reason: str
    seen: str
    added: Mapping[str, Any]


@dataclass(frozen=True)
class Filled:
    """The keys of a trial as it was first planned, and its amendments in their order."""

    keys: Mapping[str, Any]
    amendments: tuple[Amendment, ...]

    def stages(self) -> Iterator[dict[str, Any]]:
        """Yield the keys as first planned, and then after each amendment."""
        keys = copy.deepcopy(dict(self.keys))
        yield copy.deepcopy(keys)
        for amendment in self.amendments:
            for key, added in amendment.added.items():
                _add(keys, key, added)
            yield copy.deepcopy(keys)

    def whole(self) -> dict[str, Any]:
        """Return the keys after all amendments."""
        return list(self.stages())[-1]


def fill(template: Mapping[str, Any], roles: Mapping[str, Role]) -> Filled:
    """Fill the places of a template: ``{piece}``, ``{role}`` (arguments), ``{model=role}`` (arguments by name).

    A text that is a role's place and nothing else, outside an expression, becomes a table of the role's options.
    """
    pieces = template.get(_PIECES, {})
    filled = {key: _filled(value, pieces, roles) for key, value in template.items() if key != _PIECES}
    amendments = filled.pop(_AMENDMENTS, [])
    return Filled(
        filled,
        tuple(
            Amendment(row["reason"], row["seen"], {key: v for key, v in row.items() if key not in ("reason", "seen")})
            for row in amendments
        ),
    )


def stages_of(template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a template as it was first planned, and each of its amendments."""
    return [template, *template.get(_AMENDMENTS, [])]


def roles_in(template: Mapping[str, Any], value: Any) -> set[str]:
    """Return the names that the places of a value have, those of pieces followed."""
    pieces: Mapping[str, str] = template.get(_PIECES, {})
    if isinstance(value, (Mapping, list)):
        found: set[str] = set()
        for item in value.values() if isinstance(value, Mapping) else value:
            found |= roles_in(template, item)
        return found
    if not isinstance(value, str):
        return set()
    names = {match["name"] for match in _PLACE.finditer(value)}
    inner = (roles_in(template, pieces[name]) for name in names & pieces.keys())
    return (names - pieces.keys()).union(*inner)


def _filled(value: Any, pieces: Mapping[str, str], roles: Mapping[str, Role]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(item, pieces, roles) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, pieces, roles) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACE.fullmatch(value)
    if whole and whole["name"] in roles:
        return dict(roles[whole["name"]].options)

    def place(match: re.Match[str]) -> str:
        name = match["name"]
        if name in pieces:
            return str(_filled(pieces[name], pieces, roles))
        if name not in roles:
            raise SpecError(f"The preset names {name!r}, which is neither a piece nor a role: {value!r}.")
        return roles[name].spelled(named=match["named"] is not None)

    return _PLACE.sub(place, value)


def _add(keys: dict[str, Any], key: str, added: Any) -> None:
    if isinstance(added, Mapping):
        keys[key] = {**keys.get(key, {}), **added}
    elif isinstance(added, list):
        keys[key] = [*keys.get(key, []), *added]
    else:
        raise SpecError(f"An amendment of a preset adds tables and lists, and {key!r} is neither.")
