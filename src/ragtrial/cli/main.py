"""The group of commands, each imported when it is called, and what becomes of errors."""

from __future__ import annotations

import gc
import importlib
import os
import sys

import click

from ragtrial import __version__
from ragtrial.errors import RagtrialError

__all__ = ["cli", "main"]

COMMANDS = {
    "amend": "Add to a frozen plan; what is added is secondary.",
    "check": "List all faults of a trial file, and what the trial could show.",
    "chunk": "Cut documents into chunks and write them as JSON lines.",
    "demo": "Run a small real trial that needs nothing but this package.",
    "doctor": "Show what is installed and what each missing extra would add.",
    "freeze": "Freeze a trial's plan before any outcome.",
    "gate": "Pass or fail a build: is the new index not worse?",
    "run": "Run a trial file and write its record.",
    "verify": "Check a record against its plan and make its numbers again.",
}
"""Each command and its line in the help: known without importing the command."""


class LazyGroup(click.Group):
    """A group that imports a command only when it runs, so that help and completion stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's own signature
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command, or return None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"ragtrial.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ragtrial")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Tell which indexing choice is worth its cost on your documents.

    Results go to standard output, talk to standard error.
    """
    context.obj = {"debug": debug}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 failed, 2 usage, 3 record mismatch, 130 interrupted."""
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    debug = "--debug" in arguments
    # Millions of small tuples and no cycles among them: looking for cycles often only costs time.
    gc.set_threshold(200_000, 50, 100)
    try:
        status = cli.main(args=arguments, prog_name="ragtrial", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        click.echo("Interrupted. Run the same command again to go on.", err=True)
        return 130
    except BrokenPipeError:
        # The reader of a pipe has gone: that is its right. Python would complain again while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except RagtrialError as error:
        if debug:
            raise
        click.echo(f"Error: {error.message}", err=True)
        if error.hint:
            click.echo(error.hint, err=True)
        return error.exit_code
    return status if isinstance(status, int) else 0
