"""How blocks become header-led chunks: grouping up to a size, then joining small neighbours (MDK appendix N.1).

Columns and runs instead of an object a block: a document has ten times more blocks than chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["BODY", "CLOSES", "CUTS", "HEADING", "Items", "Run", "group_items", "join_small"]


# What an item does in grouping; plain numbers, since every block is compared with them.
BODY = 0
CLOSES = 1
"""A body after which a full chunk ends at once."""
CUTS = 2
"""A heading that starts a chunk."""
HEADING = 3
"""A heading that does not."""


@dataclass(slots=True)
class Items:
    """Blocks, or parts of blocks, in order: ranges, sizes in the unit, section paths, roles.

    ``prefixes`` holds, by item, the text to be indexed before a chunk that starts with it.
    """

    starts: list[int]
    ends: list[int]
    sizes: list[int]
    paths: list[tuple[str, ...]]
    roles: list[int]
    prefixes: dict[int, str] = field(default_factory=dict)

    def columns(self) -> tuple[list[int], list[int], list[int], list[tuple[str, ...]], list[int]]:
        """Return starts, ends, sizes, paths and roles."""
        return self.starts, self.ends, self.sizes, self.paths, self.roles

    def add(self, start: int, end: int, size: int, path: tuple[str, ...], role: int) -> None:
        """Append one item."""
        self.starts.append(start)
        self.ends.append(end)
        self.sizes.append(size)
        self.paths.append(path)
        self.roles.append(role)


class Run(NamedTuple):
    """The items ``first`` to ``last`` (not included) as one chunk: its length in the unit, and its section path."""

    first: int
    last: int
    length: int
    path: tuple[str, ...]


def group_items(items: Items, maximum: int, separator: int) -> list[Run]:
    """Pack items in order: a cutting heading closes a chunk with body, and so does a body that would pass the maximum.

    Headings always stay with the start of what follows them; headings that end the
    document join the chunk before. ``separator`` is the length of what stands between items.
    """
    runs: list[Run] = []
    sizes, roles = items.sizes, items.roles
    first = size = 0
    has_body = False
    for number, (length, role) in enumerate(zip(sizes, roles, strict=True)):
        if has_body and (role == CUTS or (role != HEADING and size + length > maximum)):
            last = number if role == CUTS else _before_headings(roles, number)
            runs.append(_run(items, first, last, separator))
            first, size, has_body = last, sum(sizes[last:number]), False
        size += length
        has_body = has_body or role < CUTS
        if role == CLOSES and size >= maximum:
            runs.append(_run(items, first, number + 1, separator))
            first, size, has_body = number + 1, 0, False
    if first < len(sizes):
        if not has_body and runs:
            first = runs.pop().first
        runs.append(_run(items, first, len(sizes), separator))
    return runs


def join_small(runs: Sequence[Run], minimum: int, *, cap: int, separator: int) -> list[Run]:
    """Join a chunk shorter than the minimum to the next one, and a short last one to the one before, up to ``cap``."""
    joined: list[Run] = []
    for run in runs:
        if joined and joined[-1].length < minimum and joined[-1].length + run.length <= cap:
            joined[-1] = _joined(joined[-1], run, separator)
        else:
            joined.append(run)
    if len(joined) > 1 and joined[-1].length < minimum and joined[-2].length + joined[-1].length <= cap:
        last = joined.pop()
        joined[-1] = _joined(joined[-1], last, separator)
    return joined


def _run(items: Items, first: int, last: int, separator: int) -> Run:
    """Return a run whose path is that of its first body item that has one, else of its first item that has one."""
    path: tuple[str, ...] = ()
    for number in range(first, last):
        if items.paths[number]:
            if items.roles[number] < CUTS:
                path = items.paths[number]
                break
            path = path or items.paths[number]
    return Run(first, last, sum(items.sizes[first:last]) + separator * (last - first - 1), path)


def _joined(one: Run, other: Run, separator: int) -> Run:
    """Return both as one, with the path of the longer part (if equal, the earlier), or of the one that has any."""
    longer, shorter = (one, other) if one.length >= other.length else (other, one)
    return Run(one.first, other.last, one.length + separator + other.length, longer.path or shorter.path)


def _before_headings(roles: Sequence[int], number: int) -> int:
    while roles[number - 1] >= CUTS:
        number -= 1
    return number
