"""The options of commands that read folders: which files, and as what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

import click

if TYPE_CHECKING:
    from ragtrial.documents.formats import Format

__all__ = ["READ_AS", "reading_options", "reading_words"]

Command = TypeVar("Command", bound=Callable[..., object])

READ_AS: Final = "--read-as"


def reading_options(command: Command) -> Command:
    """Add the options --include, --exclude and --read-as, which `ragtrial.documents.folder.read_folder` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def reading_words(include: tuple[str, ...], exclude: tuple[str, ...], read_as: dict[str, Format]) -> list[str]:
    """Return these options as words of a command line."""
    given = [("--include", include), ("--exclude", exclude), (READ_AS, map("=".join, read_as.items()))]
    return [word for option, values in given for value in values for word in (option, value)]


def _read_as(
    context: click.Context,  # noqa: ARG001  # click gives both
    parameter: click.Parameter,  # noqa: ARG001
    value: tuple[str, ...],
) -> dict[str, Format]:
    if not value:
        return {}
    from ragtrial.documents.formats import checked_read_as
    from ragtrial.errors import UsageError

    found: dict[str, Format] = {}
    for given in value:
        ending, equals, name = given.partition("=")
        if not equals:
            raise UsageError(f"{READ_AS} {given!r} names no ending and format.", hint=f"Write {READ_AS} .txt=rst.")
        if found.get(ending.lower(), name) != name:
            raise UsageError(f"{READ_AS} gives files that end in {ending.lower()!r} two formats.")
        found |= checked_read_as({ending: name})
    return found


_OPTIONS = (
    click.option(
        "--include", multiple=True, metavar="PATTERN", help="Only files that match, such as 'guide/**'; repeatable."
    ),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Not files that match; repeatable."),
    click.option(
        READ_AS,
        multiple=True,
        metavar="ENDING=FORMAT",
        callback=_read_as,
        help="Read files with an ending as a format, such as '.txt=rst'; repeatable.",
    ),
)
