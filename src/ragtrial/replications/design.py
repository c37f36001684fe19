"""What is run of a study: the parts that are wanted, narrowed to what is wanted of them, with roles filled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ragtrial.errors import UsageError, nearest
from ragtrial.replications.narrow import asking_arms, narrow
from ragtrial.replications.roles import Role
from ragtrial.replications.study import Part, Reduction, Study
from ragtrial.replications.template import Amendment, Filled, fill, roles_in, stages_of

__all__ = ["LLM_FREE", "Design", "Planned", "design_of", "reduced", "without_parts"]

LLM_FREE: Final = "llm-free"
"""In ``--only``: arms that ask no language model, and no answers."""


@dataclass(frozen=True)
class Planned:
    """A part of which something is run.

    ``filled`` holds the keys that are left and the amendments, ``left_out`` what went of the part, by kind, and
    ``roles`` those that play in what is left.
    """

    part: Part
    filled: Filled
    left_out: Mapping[str, tuple[str, ...]]
    roles: Mapping[str, Role]


@dataclass(frozen=True)
class Design:
    """A study as it is run: its parts, and who plays which role."""

    study: Study
    roles: Mapping[str, Role]
    parts: tuple[Planned, ...]


def design_of(study: Study, roles: Mapping[str, Role], only: Sequence[str] = ()) -> Design:
    """Return what is run of a study.

    Parameters
    ----------
    study : Study
    roles : mapping of str to Role
    only : sequence of str
        Names of parts, arms and retrievers, and `LLM_FREE`. Named parts are run and no others; of named arms likewise,
        and of named retrievers. Without names of parts the main ones are run.

    Raises
    ------
    UsageError
        A name is of nothing in the study, or nothing is left.
    """
    filled = {part.name: fill(study.templates[part.name], roles) for part in study.parts}
    wanted = _Wanted.of(study, filled, only)
    planned = [_narrowed(study, part, filled[part.name], roles, wanted) for part in study.parts]
    found = tuple(one for one in planned if one is not None)
    if not found:
        raise UsageError("Nothing of the study is left to run.", hint="Name fewer things with --only.")
    return Design(study, roles, found)


def reduced(design: Design, reductions: Iterable[Reduction]) -> Design:
    """Return a design without what reductions leave out."""
    parts: list[Planned] = list(design.parts)
    for reduction in reductions:
        changed: list[Planned] = []
        for planned in parts:
            if planned.part.name != reduction.part:
                changed.append(planned)
            elif reduction.arms:
                gone = set(reduction.arms)
                left = _kept(planned, lambda arm, gone=gone: arm not in gone, lambda _: True, answers=True)
                changed += [_recast(design.study, left, planned.roles)] if left else []
        parts = changed
    return replace(design, parts=tuple(parts))


def without_parts(design: Design, names: Collection[str]) -> Design:
    """Return a design without the parts of these names."""
    return replace(design, parts=tuple(planned for planned in design.parts if planned.part.name not in names))


@dataclass(frozen=True)
class _Wanted:
    parts: Collection[str]
    arms: Collection[str]
    retrievers: Collection[str]
    free: bool

    @classmethod
    def of(cls, study: Study, filled: Mapping[str, Filled], only: Sequence[str]) -> _Wanted:
        parts = {part.name for part in study.parts}
        whole = [one.whole() for one in filled.values()]
        arms = {name for keys in whole for name in keys["arms"]}
        retrievers = {name for keys in whole for name in keys["retrievers"]}
        for name in only:
            if name not in {LLM_FREE} | parts | arms | retrievers:
                kinds = {"parts": parts, "arms": arms, "retrievers": retrievers}
                listed = "; ".join(f"{kind}: {', '.join(sorted(names))}" for kind, names in kinds.items())
                raise UsageError(
                    f"The study has no part, arm or retriever {name!r}.",
                    hint=f"{nearest(name, {LLM_FREE}.union(*kinds.values()))}Known: {LLM_FREE}; {listed}.",
                )
        chosen = [name for name in only if name in parts]
        return cls(
            parts=chosen or [part.name for part in study.parts if part.main],
            arms=[name for name in only if name in arms and name not in parts],
            retrievers=[name for name in only if name in retrievers and name not in parts],
            free=LLM_FREE in only,
        )


def _narrowed(study: Study, part: Part, filled: Filled, roles: Mapping[str, Role], wanted: _Wanted) -> Planned | None:
    if part.name not in wanted.parts:
        return None
    asking = asking_arms(filled.whole()["arms"]) if wanted.free else set()
    planned = Planned(part, filled, {}, roles)
    left = _kept(
        planned,
        lambda arm: (not wanted.arms or arm in wanted.arms) and arm not in asking,
        lambda retriever: not wanted.retrievers or retriever in wanted.retrievers,
        answers=not wanted.free,
    )
    return _recast(study, left, roles) if left else None


def _recast(study: Study, planned: Planned, roles: Mapping[str, Role]) -> Planned:
    """Return a part with those of the roles that play in what is left of it."""
    return replace(planned, roles=_playing(study.templates[planned.part.name], planned.filled.whole(), roles))


def _kept(planned: Planned, arm: Any, retriever: Any, *, answers: bool) -> Planned | None:
    """Narrow the keys as first planned and after each amendment; an amendment that adds nothing more goes."""
    stages = [narrow(keys, arm, retriever, answers=answers) for keys in planned.filled.stages()]
    kept = [(number, one.keys) for number, one in enumerate(stages) if one.keys is not None]
    if stages[-1].keys is None:
        return None
    amendments = []
    before = kept[0][1]
    for number, keys in kept[1:]:
        added = _added(before, keys)
        if added:
            made = planned.filled.amendments[number - 1]
            amendments.append(Amendment(made.reason, made.seen, added))
            before = keys
    last = stages[-1]
    gone = {"arms": last.arms, "retrievers": last.retrievers, "contrasts": last.contrasts}
    return replace(planned, filled=Filled(kept[0][1], tuple(amendments)), left_out=gone)


def _added(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    added: dict[str, Any] = {}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict):
            new: Any = {name: row for name, row in value.items() if name not in (old or {})}
        elif isinstance(value, list):
            new = [row for row in value if row not in (old or [])]
        else:
            new = None
        if new:
            added[key] = new
    return added


def _playing(template: Mapping[str, Any], keys: Mapping[str, Any], roles: Mapping[str, Role]) -> dict[str, Role]:
    names: set[str] = set()
    for row in stages_of(template):
        for table in ("arms", "retrievers"):
            left = {name: spec for name, spec in row.get(table, {}).items() if name in keys[table]}
            names |= roles_in(template, left)
        if "answers" in keys:
            names |= roles_in(template, row.get("answers", {}))
    return {name: roles[name] for name in roles if name in names}
