"""A group of commands, each in a file of its own that is imported when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group that imports a command only when it runs, so that help and completion stay fast.

    Parameters
    ----------
    package : str
        Where the modules lie that are called like their commands; each has its ``command``.
    table : mapping of str to str
        Each command and its line in the help: known without importing the command.
    """

    def __init__(self, *arguments: Any, package: str, table: Mapping[str, str], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._package = package
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's own signature
        """Return the names of all commands."""
        return sorted(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command, or return None for an unknown name."""
        if cmd_name not in self._table:
            return None
        command: click.Command = importlib.import_module(f"{self._package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._table[name]) for name in self.list_commands(ctx)])
