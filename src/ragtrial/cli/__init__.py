"""The command line: it parses, calls and prints, and is the only place that catches errors."""

from ragtrial.cli.main import main

__all__ = ["main"]
