"""The group of commands, each imported when it is called, and what becomes of errors."""

from __future__ import annotations

import gc
import io
import os
import sys

import click

from ragtrial import __version__
from ragtrial.cli.lazy import LazyGroup
from ragtrial.errors import RagtrialError

__all__ = ["cli", "main"]

COMMANDS = {
    "amend": "Add to a frozen plan; what is added is secondary.",
    "cache": "List or remove the vectors that trials share.",
    "check": "List all faults of a trial file, and what the trial could show.",
    "chunk": "Cut documents into chunks and write them as JSON lines.",
    "compare": "Set records side by side: did verdicts move, do they hold on several corpora?",
    "data": "Fetch the official files of the known data sets.",
    "demo": "Run a small real trial that needs nothing but this package.",
    "doctor": "Show what is installed and what each missing extra would add.",
    "estimate": "Say what a trial would cost, before anything is spent.",
    "explain": "Show one question of a record: what was retrieved, found and missed.",
    "export": "Write a record as CSV, Parquet, LaTeX, Markdown, TREC, JSON or figures.",
    "freeze": "Freeze a trial's plan before any outcome.",
    "gate": "Pass or fail a build: is the new index not worse?",
    "init": "Write a first trial file and questions for a folder.",
    "latency": "Measure what a query costs under each condition.",
    "ledger": "Add up what was paid to language models.",
    "questions": "Harvest, generate, check, convert and review questions.",
    "replicate": "Run a paper's whole design and set the results beside the paper's.",
    "report": "Write a record as pages for people.",
    "run": "Run a trial file and write its record.",
    "try": "Try the usual choices on a folder: from nothing to verdicts.",
    "verify": "Check a record against its plan and make its numbers again.",
}
"""Each command and its line in the help."""


@click.group(
    cls=LazyGroup,
    package="ragtrial.cli",
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="ragtrial")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Tell which indexing choice is worth its cost on your documents.

    Results go to standard output, talk to standard error.
    """
    context.obj = {"debug": debug}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 failed, 2 usage, 3 plan or record mismatch, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A letter that the terminal does not have must not end a run.
            stream.reconfigure(errors="replace")
    # Millions of small tuples and no cycles among them: looking for cycles often only costs time.
    gc.set_threshold(200_000, 50, 100)
    sys.exit(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    try:
        status = _invoke(arguments)
        # Here, where a full disk or a closed pipe can still be told; Python would flush when nobody listens any more.
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has gone: that is its right.
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        click.echo(f"Error: Cannot write the output: {error.strerror or error}.", err=True)
        return 1
    return status


def _invoke(arguments: list[str]) -> int:
    try:
        # Not cli.main, which would take a closed pipe for a failure.
        with cli.make_context("ragtrial", list(arguments)) as context:
            cli.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.exceptions.Abort):
        click.echo("Interrupted. Run the same command again to go on.", err=True)
        return 130
    except RagtrialError as error:
        if "--debug" in arguments:
            raise
        click.echo(f"Error: {error.message}", err=True)
        if error.hint:
            click.echo(error.hint, err=True)
        return error.exit_code
    return 0


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
