"""``ragtrial questions``: a group of commands, each in a file of its own and imported when it runs."""

from __future__ import annotations

import click

from ragtrial.cli.lazy import LazyGroup

__all__ = ["command"]

COMMANDS = {
    "check": "Say what is wrong with questions, and what they can detect.",
    "convert": "Turn questions of another tool into ours, with exact places.",
    "generate": "Let a language model write questions about documents.",
    "harvest": "Take questions from the documents' own links.",
    "review": "Count and apply a person's decisions about generated questions.",
}
"""Each command and its line in the help."""


@click.group(cls=LazyGroup, package="ragtrial.cli.questions", table=COMMANDS)
def command() -> None:
    """Make questions for a trial, and look after them."""
