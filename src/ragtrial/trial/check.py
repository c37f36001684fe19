"""Faults of a trial that no single key shows: names that do not fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ragtrial.errors import SpecError, did_you_mean
from ragtrial.specs import parse_difference

__all__ = ["Fault", "cross_faults"]


class Fault(NamedTuple):
    """One thing wrong in a trial: the path of the key, and the sentence."""

    key: tuple[str | int, ...]
    sentence: str


def cross_faults(raw: Mapping[str, Any]) -> list[Fault]:
    """Return all faults between the keys of a trial as it was written, however faulty the single keys are."""
    found = [*_source_faults(raw), *_name_faults(raw)]
    found += _contrast_faults(raw)
    for number, row in enumerate(_tables(raw, "contrasts")):
        found += _row_faults(("contrasts", number), row, raw)
    for number, row in enumerate(_tables(raw, "ladders")):
        found += _ladder_faults(("ladders", number), row, raw)
    return found


def _source_faults(raw: Mapping[str, Any]) -> Iterator[Fault]:
    if "dataset" in raw:
        for key in ("documents", "questions"):
            if key in raw:
                yield Fault((key,), f"a trial on a data set takes no {key!r}: the reader brings them")
        for key in ("include", "exclude", "dialect", "encoding", "read_as"):
            if key in raw:
                yield Fault((key,), f"{key!r} is for documents of one's own: a reader knows how its data set is read")
        return
    for key, what in (("documents", "a file or folder"), ("questions", "a JSON Lines file")):
        if key not in raw:
            yield Fault((key,), f"the key {key!r} is missing: {what}, or a [dataset] instead of both")


def _name_faults(raw: Mapping[str, Any]) -> Iterator[Fault]:
    for table in ("arms", "retrievers"):
        if table in raw and not raw[table]:
            yield Fault((table,), f"[{table}] is empty: a trial needs at least one")
    if isinstance(name := raw.get("retriever"), str):
        yield from _known(("retriever",), name, "retriever", raw.get("retrievers"))
    arm_names = _mapping(raw.get("arms"))
    for average, arms in _mapping(raw.get("averages")).items():
        if average in arm_names:
            yield Fault(("averages", average), f"{average!r} is an arm already: an average needs a name of its own")
        for arm in _list(arms):
            if isinstance(arm, str):
                yield from _known(("averages", average), arm, "arm", arm_names)
    for retriever, arms in _mapping(raw.get("only")).items():
        yield from _known(("only", retriever), retriever, "retriever", raw.get("retrievers"))
        for arm in _list(arms):
            if isinstance(arm, str):
                yield from _known(("only", retriever), arm, "arm", raw.get("arms"))


def _contrast_faults(raw: Mapping[str, Any]) -> Iterator[Fault]:
    rows = _tables(raw, "contrasts")
    for name, count in Counter(row.get("name") for row in rows if isinstance(row.get("name"), str)).items():
        if count > 1:
            last = max(number for number, row in enumerate(rows) if row.get("name") == name)
            yield Fault(("contrasts", last, "name"), f"{count} contrasts are called {name!r}")
    used = {row["family"] for row in rows if isinstance(row.get("family"), str)}
    for family in _mapping(raw.get("families")):
        if family not in used:
            yield Fault(("families", family), f"no contrast is of the family {family!r}")


def _row_faults(key: tuple[str, int], row: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Fault]:
    if isinstance(of := row.get("of"), str):
        try:
            arms = parse_difference(of)
        except SpecError as error:
            yield Fault((*key, "of"), str(error))
        else:
            for arm in dict.fromkeys(arms):
                yield from _known((*key, "of"), arm, "arm", _mapping(raw.get("arms")) | _mapping(raw.get("averages")))
            if arms[0] == arms[1] and row.get("against") in (None, row.get("retriever")):
                yield Fault((*key, "of"), f"{of!r} compares an arm with itself")
    for side in ("retriever", "against"):
        if isinstance(retriever := row.get(side), str):
            yield from _known((*key, side), retriever, "retriever", raw.get("retrievers"))
    if row.get("tier") == "confirmatory" and row.get("family") is None:
        yield Fault((*key, "tier"), 'a confirmatory contrast needs a family, such as family = "H1"')
    test, margin = row.get("test", "difference"), row.get("margin")
    if test in ("equivalence", "non-inferiority") and margin is None:
        yield Fault((*key, "margin"), f"a test of {test} needs a margin in points, such as margin = 5")
    if test == "difference" and margin is not None:
        yield Fault((*key, "margin"), "a test of difference takes no margin")


def _ladder_faults(key: tuple[str, int], row: Mapping[str, Any], raw: Mapping[str, Any]) -> Iterator[Fault]:
    arms, doses = _list(row.get("arms")), row.get("doses")
    for arm in dict.fromkeys(arm for arm in arms if isinstance(arm, str)):
        yield from _known((*key, "arms"), arm, "arm", raw.get("arms"))
    if isinstance(retriever := row.get("retriever"), str):
        yield from _known((*key, "retriever"), retriever, "retriever", raw.get("retrievers"))
    if isinstance(doses, list) and len(doses) != len(arms):
        yield Fault((*key, "doses"), f"there are {len(doses)} doses for {len(arms)} arms")
    elif isinstance(doses, list) and len(set(map(str, doses))) < 2:
        yield Fault((*key, "doses"), "a slope needs at least two different doses")


def _known(key: tuple[str | int, ...], name: str, kind: str, table: object) -> Iterator[Fault]:
    names = _mapping(table)
    if name not in names:
        yield Fault(key, f"there is no {kind} called {name!r}. {did_you_mean(name, names)}")


def _tables(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return [row for row in _list(raw.get(name)) if isinstance(row, Mapping)]


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
