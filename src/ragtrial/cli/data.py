"""``ragtrial data``: the official files of the known data sets."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.group()
def command() -> None:
    """Fetch the official files of the known data sets."""


@command.command()
@click.argument("name")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write to. [default: data/NAME]",
)
@click.option(
    "--from",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="An official file that was fetched by other means, so that no network is needed; repeatable.",
)
def fetch(name: str, folder: Path | None, files: tuple[Path, ...]) -> None:
    """Fetch the official files of the data set NAME and check their sha256.

    Each file is written whole or not at all, and one that is there already is kept. The
    licence is printed first. The paths of the files go to standard output.
    """
    from ragtrial.datasets.fetch import fetch as fetched
    from ragtrial.datasets.official import OFFICIAL

    place = folder or Path("data") / name
    if name in OFFICIAL:
        official = OFFICIAL[name]
        click.echo(f"{name}: {official.about}. Licence: {official.licence}.", err=True)
    for file in fetched(name, place, files=files):
        how = {
            "pinned": "as pinned here",
            "listing": "as published in the repository's listing",
            "": "compared with nothing, since no hash is known without a network",
        }[file.checked]
        click.echo(file.path)
        click.echo(f"sha256 {file.sha256}, {how}.", err=True)
    if next_step := OFFICIAL[name].next_step:
        click.echo(next_step, err=True)
    click.echo(f"Use it with: dataset.reader = {name!r}, dataset.path = {str(place)!r}", err=True)
