"""How blocks become header-led chunks: grouping up to a size, then joining small neighbours (MDK appendix N.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

__all__ = ["Group", "Item", "group_items", "join_small"]


class Item(NamedTuple):
    """A block, or a part of one, as grouping sees it.

    ``cuts``: a heading that starts a chunk. ``closes``: a block after which a full chunk ends at once.
    """

    start: int
    end: int
    size: int
    path: tuple[str, ...]
    is_heading: bool = False
    cuts: bool = False
    closes: bool = False
    prefix: str = ""


@dataclass(frozen=True)
class Group:
    """The items of one chunk, its length in the unit of sizes, and its section path."""

    items: tuple[Item, ...]
    length: int
    path: tuple[str, ...]

    @classmethod
    def of(cls, items: Sequence[Item], separator: int) -> Group:
        """Make a group whose path is that of its first body item that has one, else of its first item that has one."""
        bodies = (item.path for item in items if not item.is_heading and item.path)
        headings = (item.path for item in items if item.path)
        length = sum(item.size for item in items) + separator * (len(items) - 1)
        return cls(tuple(items), length, next(bodies, ()) or next(headings, ()))

    @cached_property
    def prefix(self) -> str:
        """What is indexed before the chunk: the head of a table of which it continues."""
        return self.items[0].prefix

    def joined(self, other: Group, separator: int) -> Group:
        """Return both as one, with the path of the longer part (if equal, the earlier), or of the one that has any."""
        first, second = (self, other) if self.length >= other.length else (other, self)
        return Group(self.items + other.items, self.length + separator + other.length, first.path or second.path)


def group_items(items: Sequence[Item], maximum: int, separator: int) -> list[Group]:
    """Pack items in order: a cutting heading closes a chunk with body, and so does a body that would pass the maximum.

    Headings always stay with the start of what follows them; headings that end the
    document join the chunk before.
    """
    groups: list[list[Item]] = []
    current: list[Item] = []
    size = 0
    has_body = False
    for item in items:
        if has_body and (item.cuts or (not item.is_heading and size + item.size > maximum)):
            carried = [] if item.cuts else _trailing_headings(current)
            groups.append(current[: len(current) - len(carried)])
            current, size, has_body = carried, sum(heading.size for heading in carried), False
        current.append(item)
        size += item.size
        has_body = has_body or not item.is_heading
        if item.closes and size >= maximum:
            groups.append(current)
            current, size, has_body = [], 0, False
    if current and not has_body and groups:
        groups[-1].extend(current)
    elif current:
        groups.append(current)
    return [Group.of(group, separator) for group in groups]


def join_small(groups: Sequence[Group], minimum: int, *, cap: int, separator: int) -> list[Group]:
    """Join a chunk shorter than the minimum to the next one, and a short last one to the one before, up to ``cap``."""
    joined: list[Group] = []
    for group in groups:
        if joined and joined[-1].length < minimum and joined[-1].length + group.length <= cap:
            joined[-1] = joined[-1].joined(group, separator)
        else:
            joined.append(group)
    if len(joined) > 1 and joined[-1].length < minimum and joined[-2].length + joined[-1].length <= cap:
        last = joined.pop()
        joined[-1] = joined[-1].joined(last, separator)
    return joined


def _trailing_headings(items: Sequence[Item]) -> list[Item]:
    count = 0
    while items[len(items) - 1 - count].is_heading:
        count += 1
    return list(items[len(items) - count :])
