"""``ragtrial questions``: a group of commands, each in a file of its own and imported when it runs."""

from __future__ import annotations

import importlib

import click

__all__ = ["command"]

COMMANDS = {
    "check": "Say what is wrong with questions, and what they can detect.",
    "convert": "Turn questions of another tool into ours, with exact places.",
    "generate": "Let a language model write questions about documents.",
    "harvest": "Take questions from the documents' own links.",
    "review": "Count and apply a person's decisions about generated questions.",
}
"""Each command and its line in the help."""


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's own signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = importlib.import_module(f"ragtrial.cli.questions.{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_Group)
def command() -> None:
    """Make questions for a trial, and look after them."""
