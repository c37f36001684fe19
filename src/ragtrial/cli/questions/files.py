"""Where commands about questions write."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["write_or_print"]


def write_or_print(text: str, output: Path | None) -> None:
    """Write a file, whole or not at all; without one, print. What cannot be written is a `DataError`."""
    from ragtrial.errors import DataError

    if output is None:
        click.echo(text, nl=False)
        return
    part = output.with_name(f"{output.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(output)
    except OSError as error:
        raise DataError(f"Cannot write {output}: {error.strerror or error}.") from error
