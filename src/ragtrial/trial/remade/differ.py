"""Where what a record holds differs from what is made again: a sentence with the file, the key and both values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

__all__ = ["EXACT", "unequal", "unequal_part", "unequal_tables"]

EXACT: Final = 1e-12
"""How far two floats may be apart, relatively and absolutely, that the same computation gave on two machines."""


def unequal(path: str, stored: object, found: object, tolerance: float = EXACT) -> Iterator[str]:
    """Yield a sentence for every value that is stored otherwise than it is found.

    Parameters
    ----------
    path : str
        The file, and the key in it: ``record.json: ladders``.
    stored, found : JSON values
        Mappings are compared key by key, lists of one length item by item, by the items' ``name`` if they have one.
    tolerance : float
        Of floats, relative and absolute.
    """
    if isinstance(found, Mapping) and isinstance(stored, Mapping):
        for key in sorted(found.keys() | stored.keys()):
            yield from unequal(_below(path, f".{key}"), stored.get(key), found.get(key), tolerance)
    elif isinstance(found, list) and isinstance(stored, list) and len(found) == len(stored):
        for number, (a, b) in enumerate(zip(stored, found, strict=True)):
            name = b.get("name", number) if isinstance(b, Mapping) else number
            yield from unequal(_below(path, f"[{name}]"), a, b, tolerance)
    elif isinstance(stored, list) and isinstance(found, list) and _is_table(stored) and _is_table(found):
        yield f"{path} has {len(stored):,} entries in the record, and {len(found):,} when it is made again"
    elif not _same(stored, found, tolerance):
        yield f"{path} is {stored!r} in the record, and {found!r} when it is made again"


def unequal_part(path: str, stored: object, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the same for those keys of a mapping that are found; what else is stored is not looked at."""
    own = stored if isinstance(stored, Mapping) else {}
    yield from unequal(path, {key: own[key] for key in found if key in own}, found)


def unequal_tables(name: str, stored: pl.DataFrame, found: pl.DataFrame, keys: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for every column of a table that differs, with its first differing row.

    Parameters
    ----------
    name : str
        The file.
    stored, found : DataFrame
        In the same order; ``stored`` may have more columns.
    keys : sequence of str
        The columns that name a row.
    """
    if stored.height != found.height:
        yield f"{name} has {stored.height:,} rows in the record, and {found.height:,} when it is made again"
        return
    for column in found.columns:
        before, after = stored[column].to_list(), found[column].to_list()
        differing = [row for row, (a, b) in enumerate(zip(before, after, strict=True)) if not _same(a, b, EXACT)]
        if differing:
            row = differing[0]
            where = ", ".join(f"{key} {found[key][row]!r}" for key in keys if found[key][row] is not None)
            others = f", and so do {len(differing) - 1:,} other rows" if len(differing) > 1 else ""
            yield (
                f"{name}: {column} of {where} is {before[row]!r} in the record, and {after[row]!r} when it is made "
                f"again{others}"
            )


def _below(path: str, key: str) -> str:
    return path + (f" {key.removeprefix('.')}" if path.endswith(":") else key)


def _is_table(rows: Sequence[object]) -> bool:
    return all(isinstance(row, Mapping) for row in rows)


def _same(stored: Any, found: Any, tolerance: float) -> bool:
    if isinstance(stored, float) and isinstance(found, float):
        return isclose(stored, found, rel_tol=tolerance, abs_tol=tolerance)
    return bool(stored == found)
