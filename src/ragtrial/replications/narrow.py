"""A trial with fewer arms and retrievers: everything that names one of the others goes as well."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ragtrial.measures.names import parse_measure
from ragtrial.specs import parse_difference
from ragtrial.trial.arms import Arm
from ragtrial.trial.cells import cells_of

__all__ = ["Narrowed", "asking_arms", "narrow", "parts_of_retriever"]

Keys = dict[str, Any]


@dataclass(frozen=True)
class Narrowed:
    """The keys that are left, None if nothing is, and the names of what went."""

    keys: Keys | None
    arms: tuple[str, ...]
    retrievers: tuple[str, ...]
    contrasts: tuple[str, ...]


def narrow(
    keys: Mapping[str, Any],
    arm: Callable[[str], bool],
    retriever: Callable[[str], bool],
    *,
    answers: bool = True,
) -> Narrowed:
    """Keep the arms and retrievers that are wanted, with the retrievers that those are made of.

    Contrasts, ladders, averages, families and limits (``only``) that name anything else go. Contrasts under the primary
    retriever stay under it; if it goes, they go, and the first one that is left takes its place.

    Parameters
    ----------
    keys : mapping
        The keys of a trial, expressions as text.
    arm, retriever : callable, name -> bool
        Whether it is wanted.
    answers : bool
        Without them the measures of answers go.
    """
    left = dict(keys)
    primary = left.get("retriever") or next(iter(left["retrievers"]))
    left["arms"] = {name: spec for name, spec in left["arms"].items() if arm(name)}
    if not answers and "answers" in left and not _without_answers(left):
        return Narrowed(None, tuple(keys["arms"]), tuple(keys["retrievers"]), _contrasts(keys))
    _keep_retrievers(left, retriever)
    if not left["arms"] or not left["retrievers"]:
        return Narrowed(None, tuple(keys["arms"]), tuple(keys["retrievers"]), _contrasts(keys))
    _keep_rows(left, primary)
    left["retriever"] = primary if primary in left["retrievers"] else next(iter(left["retrievers"]))
    return Narrowed(
        {key: value for key, value in left.items() if value not in ({}, [])},
        _gone(keys["arms"], left["arms"]),
        _gone(keys["retrievers"], left["retrievers"]),
        _gone(_contrasts(keys), _contrasts(left)),
    )


def asking_arms(arms: Mapping[str, str]) -> set[str]:
    """Return the arms for which a language model is asked."""
    return {name for name, spec in arms.items() if Arm.of(spec).asks_model}


def parts_of_retriever(spec: str, names: Collection[str]) -> set[str]:
    """Return the retrievers of a trial that an expression names: ``rrf(bm25, nomic)``."""
    tree = ast.parse(spec.strip(), mode="eval")
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    return named & set(names)


def _without_answers(left: Keys) -> bool:
    """Take answers out; False if nothing is left that the trial asked: its primary measure, or any contrast."""
    if parse_measure(left.get("primary", "recall@512t")).needs_answers:
        return False
    del left["answers"]
    left["measures"] = [name for name in left.get("measures", []) if not parse_measure(name).needs_answers]
    asked = left.get("contrasts", [])
    left["contrasts"] = [
        row for row in asked if "measure" not in row or not parse_measure(row["measure"]).needs_answers
    ]
    return bool(left["contrasts"]) or not asked


def _keep_retrievers(left: Keys, wanted: Callable[[str], bool]) -> None:
    table: dict[str, str] = left["retrievers"]
    parts = {name: parts_of_retriever(spec, table) - {name} for name, spec in table.items()}
    only = {name: [arm for arm in arms if arm in left["arms"]] for name, arms in left.get("only", {}).items()}
    kept = {name for name in table if wanted(name) and only.get(name) != []}
    while more := {part for name in kept for part in parts[name]} - kept:
        kept |= more
    left["retrievers"] = {name: spec for name, spec in table.items() if name in kept}
    left["only"] = {name: arms for name, arms in only.items() if name in kept and arms}


def _keep_rows(left: Keys, primary: str) -> None:
    averages = {name: arms for name, arms in left.get("averages", {}).items() if set(arms) <= left["arms"].keys()}
    cells = set(cells_of(left["arms"], left["retrievers"], left["only"]))

    def there(name: str, under: str) -> bool:
        return all((member, under) in cells for member in averages.get(name, [name]))

    contrasts = []
    for row in left.get("contrasts", []):
        under = row.get("retriever", primary)
        a, b = parse_difference(row["of"])
        if there(a, under) and there(b, row.get("against", under)):
            contrasts.append({**row, "retriever": under})
    left["contrasts"] = contrasts
    left["ladders"] = [
        {**row, "retriever": row.get("retriever", primary)}
        for row in left.get("ladders", [])
        if all(there(arm, row.get("retriever", primary)) for arm in row["arms"])
    ]
    left["averages"] = averages
    used = {row.get("family") for row in contrasts}
    left["families"] = {name: family for name, family in left.get("families", {}).items() if name in used}


def _contrasts(keys: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row["name"] for row in keys.get("contrasts", []))


def _gone(before: Collection[str], after: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in before if name not in set(after))
